;; Takes a MiB after the other and fills each.
(func (export "svc:plugin/extractor@0.1.0#extract") (result i32)
  (loop $again
    (memory.fill
      (i32.mul (memory.grow (i32.const 16)) (i32.const 65536))
      (i32.const 1)
      (i32.const 1048576))
    (br $again))
  (unreachable))
