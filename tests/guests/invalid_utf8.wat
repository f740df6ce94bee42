;; A title that is no UTF-8.
(data (i32.const 1032) "\01")
(data (i32.const 1040) "\01\00\00\00\00\20\00\00\02\00\00\00")
(data (i32.const 8192) "\ff\fe")
(func (export "svc:plugin/extractor@0.1.0#extract") (result i32) (i32.const 1024))
