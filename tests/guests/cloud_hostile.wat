;; A cloud plugin that does what the first letter of a token says: l loops, m takes memory, r recurses, g writes 10,000
;; log lines, s stores 70,000 bytes, f fills its state, z answers with a text beyond its memory. The others request the
;; URL that follows: u once, q again and again, i with a line break in the name of a header, v in its value, h with the
;; header `Host`, b with 2 MiB of body. The account is refused with what became of it as the code.
(import "svc:plugin/http@0.1.0" "send" (func $http_send (param i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32)))
(import "svc:plugin/state@0.1.0" "set" (func $state_set (param i32 i32 i32 i32 i32 i32)))
(import "svc:plugin/log@0.1.0" "write" (func $log (param i32 i32 i32)))
;; Codes, 16 bytes apart: the errors of http in their order, then the others.
(data (i32.const 8192) "denied          unreachable     timeout         too_large       tls             ")
(data (i32.const 8272) "sent            state_refused   state_stored    logged          ")
(data (i32.const 9000) "\06\0b\07\09\03\04\0d\0c\06")
(data (i32.const 9100) "GETPOST")
;; Three headers: name and value with their lengths.
(data (i32.const 9200) "x\0d\0aHost: a" "x-any" "a\0d\0aHost: a" "host" "a")
(data (i32.const 9300) "\f0\23\00\00\0a\00\00\00\0a\24\00\00\01\00\00\00")
(data (i32.const 9316) "\fa\23\00\00\05\00\00\00\ff\23\00\00\0a\00\00\00")
(data (i32.const 9332) "\09\24\00\00\04\00\00\00\0d\24\00\00\01\00\00\00")

(func $answer (param $code i32) (result i32)
  (i32.store8 (i32.const 1024) (i32.const 1))
  (i32.store8 (i32.const 1032) (i32.const 3))
  (i32.store (i32.const 1036) (i32.add (i32.const 8192) (i32.mul (local.get $code) (i32.const 16))))
  (i32.store (i32.const 1040) (i32.load8_u (i32.add (i32.const 9000) (local.get $code))))
  (i32.const 1024))

;; The code of what became of a GET with these headers.
(func $get (param $url i32) (param $length i32) (param $headers i32) (param $count i32) (result i32)
  (call $http_send (i32.const 9100) (i32.const 3) (local.get $url) (local.get $length)
    (local.get $headers) (local.get $count)
    (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 4096))
  (call $outcome))

(func $outcome (result i32)
  (select (i32.load8_u (i32.const 4100)) (i32.const 5) (i32.load8_u (i32.const 4096))))

;; The code of what became of storing these zeros under a key of one letter.
(func $store (param $key i32) (param $length i32) (result i32)
  (i32.store8 (i32.const 5000) (local.get $key))
  (call $state_set (i32.const 5000) (i32.const 1) (i32.const 1) (i32.const 100000) (local.get $length) (i32.const 4096))
  (select (i32.const 6) (i32.const 7) (i32.load8_u (i32.const 4096))))

(func $recurse (param i32) (result i32)
  (i32.add (i32.const 1) (call $recurse (i32.add (local.get 0) (i32.const 1)))))

(func (export "svc:plugin/cloud@0.1.0#account") (param $token i32) (param $length i32) (result i32)
  (local $letter i32) (local $url i32) (local $rest i32) (local $count i32)
  (local.set $letter (i32.load8_u (local.get $token)))
  (local.set $url (i32.add (local.get $token) (i32.const 1)))
  (local.set $rest (i32.sub (local.get $length) (i32.const 1)))
  (if (i32.eq (local.get $letter) (i32.const 108)) (then
    (loop $endless (br $endless))))
  (if (i32.eq (local.get $letter) (i32.const 109)) (then
    (loop $more
      (drop (memory.grow (i32.const 16)))
      (br $more))))
  (if (i32.eq (local.get $letter) (i32.const 114)) (then
    (return (call $answer (call $recurse (i32.const 0))))))
  (if (i32.eq (local.get $letter) (i32.const 103)) (then
    (loop $more
      (call $log (i32.const 1) (i32.const 8192) (i32.const 100))
      (local.set $count (i32.add (local.get $count) (i32.const 1)))
      (br_if $more (i32.lt_u (local.get $count) (i32.const 10000))))
    (return (call $answer (i32.const 8)))))
  (if (i32.eq (local.get $letter) (i32.const 115)) (then
    (return (call $answer (call $store (i32.const 97) (i32.const 70000))))))
  (if (i32.eq (local.get $letter) (i32.const 102)) (then
    (loop $more
      (local.set $count (i32.add (local.get $count) (i32.const 1)))
      (br_if $more (i32.and
        (i32.lt_u (local.get $count) (i32.const 100))
        (i32.eq (call $store (local.get $count) (i32.const 4000)) (i32.const 7)))))
    (return (call $answer (i32.add (i32.const 6) (i32.eq (local.get $count) (i32.const 100)))))))
  (if (i32.eq (local.get $letter) (i32.const 122)) (then
    (i32.store (i32.const 1032) (i32.const 100))
    (i32.store (i32.const 1036) (i32.const 0x3fffffff))
    (return (i32.const 1024))))
  (if (i32.eq (local.get $letter) (i32.const 113)) (then
    (loop $more
      (local.set $count (i32.add (local.get $count) (i32.const 1)))
      (br_if $more (i32.and
        (i32.lt_u (local.get $count) (i32.const 1000))
        (i32.eq (call $get (local.get $url) (local.get $rest) (i32.const 0) (i32.const 0)) (i32.const 5)))))
    (return (call $answer (call $outcome)))))
  (if (i32.eq (local.get $letter) (i32.const 105)) (then
    (return (call $answer (call $get (local.get $url) (local.get $rest) (i32.const 9300) (i32.const 1))))))
  (if (i32.eq (local.get $letter) (i32.const 118)) (then
    (return (call $answer (call $get (local.get $url) (local.get $rest) (i32.const 9316) (i32.const 1))))))
  (if (i32.eq (local.get $letter) (i32.const 104)) (then
    (return (call $answer (call $get (local.get $url) (local.get $rest) (i32.const 9332) (i32.const 1))))))
  (if (i32.eq (local.get $letter) (i32.const 98)) (then
    (drop (memory.grow (i32.const 64)))
    (call $http_send (i32.const 9103) (i32.const 4) (local.get $url) (local.get $rest) (i32.const 0) (i32.const 0)
      (i32.const 1) (i32.const 1000000) (i32.const 2097152) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 4096))
    (return (call $answer (call $outcome)))))
  (call $answer (call $get (local.get $url) (local.get $rest) (i32.const 0) (i32.const 0))))
