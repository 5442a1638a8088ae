;; The place of the agent with the highest weight for a monitor, of equals the first. The agents' folded ids lie in
;; memory from byte $from to byte $to, in rows of four; a row that is not full repeats the first agent. The hash is that
;; of weight.ts. `npm run wasm` makes heaviest.wasm from this text.
(module
  (memory (export "memory") 16)
  (func (export "heaviest") (param $from i32) (param $to i32) (param $monitor i32) (result i32)
    (local $at i32) (local $place i32) (local $best i32)
    (local $monitors v128) (local $bests v128) (local $weights v128)
    (local.set $monitors (i32x4.splat (local.get $monitor)))
    (local.set $at (local.get $from))
    (local.set $place (local.get $from))
    (loop $row
      (local.set $weights (v128.xor (v128.load (local.get $at)) (local.get $monitors)))
      (local.set $weights (v128.xor (local.get $weights) (i32x4.shr_u (local.get $weights) (i32.const 16))))
      (local.set $weights (i32x4.mul (local.get $weights) (i32x4.splat (i32.const 0x85ebca6b))))
      (local.set $weights (v128.xor (local.get $weights) (i32x4.shr_u (local.get $weights) (i32.const 13))))
      (local.set $weights (i32x4.mul (local.get $weights) (i32x4.splat (i32.const 0xc2b2ae35))))
      (local.set $weights (v128.xor (local.get $weights) (i32x4.shr_u (local.get $weights) (i32.const 16))))
      ;; Seldom: among three thousand agents some eight times.
      (if (v128.any_true (i32x4.gt_u (local.get $weights) (local.get $bests)))
        (then
          (if (i32.gt_u (i32x4.extract_lane 0 (local.get $weights)) (local.get $best))
            (then
              (local.set $best (i32x4.extract_lane 0 (local.get $weights)))
              (local.set $place (local.get $at))))
          (if (i32.gt_u (i32x4.extract_lane 1 (local.get $weights)) (local.get $best))
            (then
              (local.set $best (i32x4.extract_lane 1 (local.get $weights)))
              (local.set $place (i32.add (local.get $at) (i32.const 4)))))
          (if (i32.gt_u (i32x4.extract_lane 2 (local.get $weights)) (local.get $best))
            (then
              (local.set $best (i32x4.extract_lane 2 (local.get $weights)))
              (local.set $place (i32.add (local.get $at) (i32.const 8)))))
          (if (i32.gt_u (i32x4.extract_lane 3 (local.get $weights)) (local.get $best))
            (then
              (local.set $best (i32x4.extract_lane 3 (local.get $weights)))
              (local.set $place (i32.add (local.get $at) (i32.const 12)))))
          (local.set $bests (i32x4.splat (local.get $best)))))
      (local.set $at (i32.add (local.get $at) (i32.const 16)))
      (br_if $row (i32.lt_u (local.get $at) (local.get $to))))
    (i32.shr_u (i32.sub (local.get $place) (local.get $from)) (i32.const 2))))
