;; Never even starts.
(func $start (loop $again (br $again)))
(start $start)
(func (export "svc:plugin/extractor@0.1.0#extract") (result i32) (i32.const 1024))
