;; Lists two pages: the first 4 bytes of the source, and one on request. A source that begins with `o` has a page outside
;; of it, with `m` one of a wrong type, with `l` one with a label of 201 bytes, with `w` one of 0 pixels, with `n` 10,001
;; pages, with `z` ten million, with `b` ten million in memory of its own, with `d` four of which three are on request; with
;; `t` it traps, with `s` it takes for ever.
;; Reading gives the page 1, three bytes; the page 2, 65 MiB; the page 3 traps; and refuses any other.
(data (i32.const 2048) "\01\00\00\00\00\20\00\00\05\00\00\00\08\20\00\00\0a\00\00\00\01\00\00\00\64\00\00\00\c8\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\04\00\00\00\00\00\00\00")
(data (i32.const 2104) "\00\00\00\00\00\00\00\00\00\00\00\00\18\20\00\00\09\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\01\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00")
(data (i32.const 2160) "\00\00\00\00\00\00\00\00\00\00\00\00\18\20\00\00\09\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\01\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00")
(data (i32.const 2216) "\00\00\00\00\00\00\00\00\00\00\00\00\18\20\00\00\09\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\01\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00")
(data (i32.const 3016) "\00\20\00\00\03\00\00\00")
(data (i32.const 3208) "\00\00\10\00\00\00\10\04")
(data (i32.const 3400) "\01")
(data (i32.const 8192) "Cover\00\00\00image/jpeg\00\00\00\00\00\00image/png\00\00\00\00\00\00\00javascript")
(func (export "svc:plugin/extractor@0.1.0#extract") (result i32) (i32.const 1024))
(func (export "svc:plugin/pages@0.1.0#list") (result i32)
  (local $kind i32)
  (call $read_at (i64.const 0) (i32.const 1) (i32.const 4096))
  (local.set $kind (i32.load8_u (i32.load (i32.const 4100))))
  ;; An instance is used again: the answer is made anew. `ok`, list of 2 at 2048.
  (i32.store (i32.const 1032) (i32.const 2048))
  (i32.store (i32.const 1036) (i32.const 2))
  (i32.store (i32.const 2056) (i32.const 5))
  (i32.store (i32.const 2060) (i32.const 8200))
  (i32.store (i32.const 2072) (i32.const 100))
  (i64.store (i32.const 2088) (i64.const 0))
  (if (i32.eq (local.get $kind) (i32.const 111)) (then (i64.store (i32.const 2088) (i64.const -2))))
  (if (i32.eq (local.get $kind) (i32.const 109)) (then (i32.store (i32.const 2060) (i32.const 8232))))
  (if (i32.eq (local.get $kind) (i32.const 108)) (then (i32.store (i32.const 2056) (i32.const 201))))
  (if (i32.eq (local.get $kind) (i32.const 119)) (then (i32.store (i32.const 2072) (i32.const 0))))
  (if (i32.eq (local.get $kind) (i32.const 110)) (then
    (i32.store (i32.const 1032) (i32.const 131072))
    (i32.store (i32.const 1036) (i32.const 10001))))
  (if (i32.eq (local.get $kind) (i32.const 100)) (then (i32.store (i32.const 1036) (i32.const 4))))
  (if (i32.eq (local.get $kind) (i32.const 122)) (then (i32.store (i32.const 1036) (i32.const 10000000))))
  (if (i32.eq (local.get $kind) (i32.const 98)) (then
    (drop (memory.grow (i32.const 8600)))
    (i32.store (i32.const 1032) (i32.const 1310720))
    (i32.store (i32.const 1036) (i32.const 10000000))))
  (if (i32.eq (local.get $kind) (i32.const 116)) (then (unreachable)))
  (if (i32.eq (local.get $kind) (i32.const 115)) (then (loop $again (br $again))))
  (i32.const 1024))
(func (export "svc:plugin/pages@0.1.0#read") (param i32) (result i32)
  (if (i32.eq (local.get 0) (i32.const 1)) (then (return (i32.const 3008))))
  (if (i32.eq (local.get 0) (i32.const 2)) (then
    (drop (memory.grow (i32.const 1100)))
    (return (i32.const 3200))))
  (if (i32.eq (local.get 0) (i32.const 3)) (then (unreachable)))
  (i32.const 3400))
