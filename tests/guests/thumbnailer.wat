;; Draws: each size is the same JPEG of 4 bytes, 1 x 1 pixels. A source that begins with `b` is broken, one with `s` takes
;; for ever, one with `h` gets HTML, one with `o` one image too many.
(data (i32.const 2048) "\01\00\00\00\01\00\00\00\00\20\00\00\0a\00\00\00\0c\20\00\00\04\00\00\00")
(data (i32.const 2072) "\01\00\00\00\01\00\00\00\00\20\00\00\0a\00\00\00\0c\20\00\00\04\00\00\00")
(data (i32.const 2096) "\01\00\00\00\01\00\00\00\00\20\00\00\0a\00\00\00\0c\20\00\00\04\00\00\00")
(data (i32.const 2120) "\01\00\00\00\01\00\00\00\00\20\00\00\0a\00\00\00\0c\20\00\00\04\00\00\00")
(data (i32.const 8192) "image/jpeg\00\00\ff\d8\ff\e0")
(data (i32.const 8256) "text/html\00\00\00<script>")
(func (export "svc:plugin/thumbnailer@0.1.0#render") (param i32 i32) (result i32)
  (local $kind i32)
  (call $read_at (i64.const 0) (i32.const 1) (i32.const 4096))
  (local.set $kind (i32.load8_u (i32.load (i32.const 4100))))
  ;; An instance is used again: the answer is made anew. `ok`, list at 2048.
  (i32.store (i32.const 1024) (i32.const 0))
  (i32.store (i32.const 1032) (i32.const 2048))
  (i32.store (i32.const 1036) (local.get 1))
  (i32.store (i32.const 2056) (i32.const 8192))
  (i32.store (i32.const 2060) (i32.const 10))
  (if (i32.eq (local.get $kind) (i32.const 98)) (then
    ;; `invalid`, no offset, an empty reason.
    (i32.store (i32.const 1024) (i32.const 1))
    (i32.store (i32.const 1032) (i32.const 1))
    (i64.store (i32.const 1040) (i64.const 0))
    (i64.store (i32.const 1048) (i64.const 0))
    (i64.store (i32.const 1056) (i64.const 0))))
  (if (i32.eq (local.get $kind) (i32.const 104)) (then
    (i32.store (i32.const 2056) (i32.const 8256))
    (i32.store (i32.const 2060) (i32.const 9))))
  (if (i32.eq (local.get $kind) (i32.const 111)) (then
    (i32.store (i32.const 1036) (i32.add (local.get 1) (i32.const 1)))))
  (if (i32.eq (local.get $kind) (i32.const 115)) (then (loop $again (br $again))))
  (i32.const 1024))
