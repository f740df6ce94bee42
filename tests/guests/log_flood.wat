;; Logs for ever: control characters, and 5,000 bytes each time.
(func (export "svc:plugin/extractor@0.1.0#extract") (result i32)
  (memory.fill (i32.const 8192) (i32.const 27) (i32.const 5000))
  (loop $again
    (call $log (i32.const 3) (i32.const 8192) (i32.const 5000))
    (br $again))
  (unreachable))
