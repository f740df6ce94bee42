;; A sound cloud plugin that has accounts and nothing else. A token is the address of its account, where the service answers
;; with the id; it is rejected if the answer is not 200, and without an answer the service is away.
(import "svc:plugin/http@0.1.0" "send" (func $http_send (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32)))
(data (i32.const 9100) "GET")

(func (export "svc:plugin/cloud@0.1.0#features") (result i32) (i32.const 1))

;; An error of the service without a value.
(func $refusal (param $case i32) (result i32)
  (i32.store8 (i32.const 1024) (i32.const 1))
  (i32.store8 (i32.const 1032) (local.get $case))
  (i32.const 1024))

(func (export "svc:plugin/cloud@0.1.0#account") (param $token i32) (param $length i32) (result i32)
  (call $http_send (i32.const 9100) (i32.const 3) (local.get $token) (local.get $length)
    (i32.const 0) (i32.const 0)
    (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 4096))
  (if (i32.load8_u (i32.const 4096)) (then (return (call $refusal (i32.const 1)))))
  (if (i32.ne (i32.load16_u (i32.const 4100)) (i32.const 200)) (then (return (call $refusal (i32.const 2)))))
  ;; The body as id; the options and the list behind it stay empty.
  (i32.store8 (i32.const 1024) (i32.const 0))
  (i32.store (i32.const 1032) (i32.load (i32.const 4112)))
  (i32.store (i32.const 1036) (i32.load (i32.const 4116)))
  (i32.const 1024))
