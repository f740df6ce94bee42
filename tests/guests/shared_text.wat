;; 2,000 fields that all show the same 60,000 bytes: small for the guest, 120 MB for a host that copies.
(data (i32.const 1032) "\01")
(data (i32.const 1088) "\00\00\02\00\d0\07\00\00")
(func (export "svc:plugin/extractor@0.1.0#extract") (result i32) (local $at i32)
  (memory.fill (i32.const 4096) (i32.const 65) (i32.const 60000))
  (local.set $at (i32.const 131072))
  (loop $next
    (i32.store (local.get $at) (i32.const 4096))
    (i32.store offset=4 (local.get $at) (i32.const 60000))
    (local.set $at (i32.add (local.get $at) (i32.const 40)))
    (br_if $next (i32.lt_u (local.get $at) (i32.const 211072))))
  (i32.const 1024))
