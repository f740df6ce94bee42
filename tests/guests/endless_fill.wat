;; Never comes back, and spends its time in long single instructions.
(func (export "svc:plugin/extractor@0.1.0#extract") (result i32)
  (drop (memory.grow (i32.const 480)))
  (loop $again
    (memory.fill (i32.const 65536) (i32.const 1) (i32.const 31457280))
    (br $again))
  (unreachable))
