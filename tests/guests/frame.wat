;; The frame of every guest: imports, memory, and the allocator of the canonical ABI. The part of the guest itself
;; takes the place of the one word below. Memory from 1024 to 65535 is the guest's; what the host hands over is
;; written at 65536, each time to the same place. At 1024 lies a zeroed answer: `ok(none)`.
(module
  (import "svc:plugin/source@0.1.0" "size" (func $size (result i64)))
  (import "svc:plugin/source@0.1.0" "read-at" (func $read_at (param i64 i32 i32)))
  (import "svc:plugin/log@0.1.0" "write" (func $log (param i32 i32 i32)))
  (memory (export "memory") 20)
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 65536))
  ;; Imports that a guest does not call would be left out of the component.
  (func (export "cabi_post_svc:plugin/extractor@0.1.0#extract") (param i32)
    (if (i32.eq (local.get 0) (i32.const -1)) (then
      (call $read_at (call $size) (i32.const 0) (i32.const 0))
      (call $log (i32.const 0) (i32.const 0) (i32.const 0)))))
  BODY
)
