;; Logs a message as the SDK does in a panic, and traps in a function with a mangled name.
(data (i32.const 8192) "panicked at src/lib.rs:3:5: out of range")
(func $_ZN4core9panicking5panic17h05af221e174051e9E (unreachable))
(func $_ZN5notes7extract17h05af221e174051e9E (call $_ZN4core9panicking5panic17h05af221e174051e9E))
(func (export "svc:plugin/extractor@0.1.0#extract") (result i32)
  (call $log (i32.const 3) (i32.const 8192) (i32.const 40))
  (call $_ZN5notes7extract17h05af221e174051e9E)
  (i32.const 1024))
