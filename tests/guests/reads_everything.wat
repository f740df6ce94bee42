;; Reads the first MiB of the file until it is told to stop, and then says that the file is broken.
(data (i32.const 2048) "\01\00\00\00\00\00\00\00\01")
(func (export "svc:plugin/extractor@0.1.0#extract") (result i32)
  (loop $again
    (call $read_at (i64.const 0) (i32.const 1048576) (i32.const 4096))
    (br_if $again (i32.eqz (i32.load8_u (i32.const 4096)))))
  (i32.const 2048))
