;; Keeps a count from file to file and shows it as the title.
(data (i32.const 1032) "\01")
(data (i32.const 1040) "\01\00\00\00\00\20\00\00\01\00\00\00")
(global $count (mut i32) (i32.const 48))
(func (export "svc:plugin/extractor@0.1.0#extract") (result i32)
  (global.set $count (i32.add (global.get $count) (i32.const 1)))
  (i32.store8 (i32.const 8192) (global.get $count))
  (i32.const 1024))
