;; The title is the value of the setting `title`, if it is a text; nothing without one.
(import "svc:plugin/settings@0.1.0" "get" (func $get (param i32 i32 i32)))
(data (i32.const 8192) "title")
(func (export "svc:plugin/extractor@0.1.0#extract") (result i32)
  (call $get (i32.const 8192) (i32.const 5) (i32.const 4096))
  ;; `none` unless the setting has a value, and that is of the first case.
  (i32.store8 (i32.const 1032) (i32.and
    (i32.load8_u (i32.const 4096))
    (i32.eqz (i32.load8_u (i32.const 4104)))))
  (i32.store (i32.const 1040) (i32.const 1))
  (i32.store (i32.const 1044) (i32.load (i32.const 4112)))
  (i32.store (i32.const 1048) (i32.load (i32.const 4116)))
  (i32.const 1024))
