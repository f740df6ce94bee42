;; Hands out the picture 0, three bytes; the picture 1, 20 MiB; and refuses any other.
(data (i32.const 2048) "\00\00\00\00\00\00\00\00\00\20\00\00\03\00\00\00")
(data (i32.const 2144) "\00\00\00\00\00\00\00\00\00\00\00\00\00\00\40\01")
(data (i32.const 2240) "\01")
(data (i32.const 8192) "\ff\d8\ff")
(func (export "svc:plugin/extractor@0.1.0#extract") (result i32) (i32.const 1024))
(func (export "svc:plugin/artwork@0.1.0#read") (param i32) (result i32)
  (if (i32.eqz (local.get 0)) (then (return (i32.const 2048))))
  (if (i32.eq (local.get 0) (i32.const 1)) (then
    (drop (memory.grow (i32.const 400)))
    (return (i32.const 2144))))
  (i32.const 2240))
