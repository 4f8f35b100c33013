"""The Trainer of Hugging Face's transformers, with a label for every sample.

    pip install 'timegrain[hf]'
    python examples/huggingface_trainer.py --epochs 8 --workers 2

One callback thins the training batches. The attention mask and the labels follow; padded labels
stay -100. Evaluation sees all samples.
"""

import argparse
import tempfile

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence
from transformers import Trainer, TrainingArguments

import timegrain as tg
from timegrain.training.loops.huggingface import SubsamplingCallback


def recordings(n: int, seed: int) -> list[dict]:
    """Noise whose level jumps up and down; the label says for every sample which it is."""
    random = np.random.default_rng(seed)
    out = []
    for _ in range(n):
        labels = np.repeat(random.permutation([0, 1, 0, 1]), random.integers(20, 40, 4))
        values = labels + 0.7 * random.normal(size=len(labels))
        out.append({"input_values": values.astype(np.float32)[:, None], "labels": labels})
    return out


def pad(examples: list[dict]) -> dict:
    """Make a batch of sequences of unequal lengths."""
    out = {}
    for name, padding in (("input_values", 0), ("labels", -100)):
        rows = [torch.as_tensor(e[name]) for e in examples]
        out[name] = pad_sequence(rows, batch_first=True, padding_value=padding)
    out["attention_mask"] = (out["labels"] != -100).long()
    return out


class StepClassifier(nn.Module):
    """A network of timegrain as the Trainer wants one: it returns its loss.

    Args:
        backbone: Answers at every sample.
    """

    def __init__(self, backbone: nn.Module) -> None:
        super().__init__()
        self.backbone = backbone

    def forward(self, input_values, attention_mask, labels, tau=1.0) -> dict:
        """Return the loss and the answers."""
        logits = self.backbone(input_values, tau, lengths=attention_mask.sum(1))
        loss = F.cross_entropy(logits.flatten(0, 1), labels.flatten(), ignore_index=-100)
        return {"loss": loss, "logits": logits}


def right_share(prediction) -> dict:
    """Return the share of samples that are answered rightly."""
    exists = prediction.label_ids != -100
    right = prediction.predictions.argmax(-1) == prediction.label_ids
    return {"accuracy": float(right[exists].mean())}


def main(arguments: list[str] | None = None) -> float:
    """Train and return the share of right answers on recordings not seen."""
    parser = argparse.ArgumentParser()
    for name, default in (("--epochs", 8), ("--recordings", 200), ("--workers", 2)):
        parser.add_argument(name, type=int, default=default)
    options = parser.parse_args(arguments)

    plan = tg.SubsamplingPlan.parse("4:2,2:1,1:1")
    sizes = {"d_input": 1, "d_output": 2, "d_model": 16, "n_layers": 1}
    model = StepClassifier(tg.build_model("s4d", **sizes, head="step", seed=0))
    with tempfile.TemporaryDirectory() as folder:
        trainer = Trainer(
            model,
            TrainingArguments(folder, num_train_epochs=options.epochs, learning_rate=0.01,
                              per_device_train_batch_size=16, use_cpu=True, report_to=[],
                              dataloader_num_workers=options.workers, disable_tqdm=True),
            train_dataset=recordings(options.recordings, seed=0),
            eval_dataset=recordings(50, seed=1),
            data_collator=pad,
            compute_metrics=right_share,
            callbacks=[SubsamplingCallback(plan, per_step=True)],
        )  # fmt: skip
        trainer.train()
        score = trainer.evaluate()["eval_accuracy"]
    print(f"accuracy {score:.2f} of all samples at full resolution")
    return score


if __name__ == "__main__":
    main()
