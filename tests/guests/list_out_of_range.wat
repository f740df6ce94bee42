;; Fields at the end of the address space.
(data (i32.const 1032) "\01")
(data (i32.const 1088) "\f8\ff\ff\ff\01\00\00\00")
(func (export "svc:plugin/extractor@0.1.0#extract") (result i32) (i32.const 1024))
