;; Fails at once.
(func (export "svc:plugin/extractor@0.1.0#extract") (result i32) (unreachable))
