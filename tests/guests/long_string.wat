;; A title of 30 MB, all of it there.
(data (i32.const 1032) "\01")
(data (i32.const 1040) "\01\00\00\00\00\00\01\00\00\c3\c9\01")
(func (export "svc:plugin/extractor@0.1.0#extract") (result i32)
  (drop (memory.grow (i32.const 480)))
  (memory.fill (i32.const 65536) (i32.const 65) (i32.const 30000000))
  (i32.const 1024))
