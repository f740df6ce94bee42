;; A million fields, all of them there, all of them empty.
(data (i32.const 1032) "\01")
(data (i32.const 1088) "\00\00\01\00\40\42\0f\00")
(func (export "svc:plugin/extractor@0.1.0#extract") (result i32) (drop (memory.grow (i32.const 640))) (i32.const 1024))
