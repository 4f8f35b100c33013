"""Which class reads a stored result: the `schema` word of a file to `module:class`."""

from timegrain.core.registry import Registry

result_kinds = Registry("kind of result")

for _kind, _target, _summary in (
    (
        "task-continuity",
        "timegrain.continuity.task.measure:TaskContinuity",
        "continuity of a dataset",
    ),
    (
        "model-continuity",
        "timegrain.continuity.model.measure:ModelContinuity",
        "continuity of a model",
    ),
    (
        "selectivity",
        "timegrain.continuity.selective.result:Selectivity",
        "what selective layers select, and which part errors come from",
    ),
    (
        "localisation",
        "timegrain.continuity.localisation.result:Localisation",
        "where in a model continuity is lost",
    ),
    (
        "remedy",
        "timegrain.continuity.remedies.result:Remedy",
        "what a cure does to a model's continuity",
    ),
    (
        "label-retention",
        "timegrain.continuity.retention.result:LabelRetention",
        "what a stride costs a label",
    ),
    (
        "dose-response",
        "timegrain.continuity.dose.result:DoseResponse",
        "D and the label's skill as a dial is turned",
    ),
    (
        "window-profile",
        "timegrain.continuity.windows.result:WindowProfile",
        "D against the window",
    ),
    ("training-run", "timegrain.training.run:TrainingRun", "one training with its history"),
    (
        "transfer-curve",
        "timegrain.training.rate_transfer:TransferCurve",
        "a network at other rates",
    ),
    (
        "rate-transfer",
        "timegrain.training.deployment.result:RateTransfer",
        "a stored network at slower rates, and the cheapest",
    ),
    ("baseline-score", "timegrain.training.baseline:BaselineScore", "random convolutions + ridge"),
    (
        "advice",
        "timegrain.advice.sampling.result:Advice",
        "the lowest rate that keeps a label",
    ),
    (
        "plan-advice",
        "timegrain.training.plan.advice:PlanAdvice",
        "stages for a training, if the label survives them",
    ),
    (
        "model-check",
        "timegrain.checks.model.result:ModelCheck",
        "whether a model keeps the contract of a layer",
    ),
    (
        "source-check",
        "timegrain.data.source_check.result:SourceCheck",
        "whether a source of data keeps its promises",
    ),
    (
        "paper-continuity",
        "timegrain.study.presets.paper_continuity.result:PaperContinuity",
        "random systems under refinement, at many amplitudes",
    ),
    (
        "paper-refinement",
        "timegrain.study.presets.paper_refinement.result:PaperRefinement",
        "networks trained at one rate, on the same trajectories at others",
    ),
    (
        "certificate",
        "timegrain.continuity.certificate.result:Certificate",
        "bounds of what sampling costs a layer",
    ),
    ("verdict", "timegrain.advice.judgement:Verdict", "sentences made from the numbers"),
):
    result_kinds.register(_kind, _target, _summary)
