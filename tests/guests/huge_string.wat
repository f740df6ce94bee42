;; A title of 100 MB, most of it outside of the guest's memory.
(data (i32.const 1032) "\01")
(data (i32.const 1040) "\01\00\00\00\00\20\00\00\00\e1\f5\05")
(func (export "svc:plugin/extractor@0.1.0#extract") (result i32) (i32.const 1024))
