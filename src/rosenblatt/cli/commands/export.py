"""`rosenblatt export`: write a model for other runtimes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rosenblatt.cli.app import app
from rosenblatt.cli.file_roles import Writes
from rosenblatt.cli.options import Json, ModelFile
from rosenblatt.cli.output import print_json, show


@app.command()
def export(
    model: ModelFile,
    onnx: Annotated[Path, typer.Option("--onnx", help="The ONNX file to write."), Writes()],
    json: Json = False,
) -> None:
    """Write a model in another format: ONNX.

    The graph takes features as the recipe of the model makes them, and returns label and scores.

    [bold]Example[/bold]: rosenblatt export adult.rbt --onnx adult.onnx
    """
    from rosenblatt import to_onnx
    from rosenblatt.cli.saved_model import load_model

    loaded = load_model(model)
    to_onnx(loaded.estimator, onnx)
    size, width = onnx.stat().st_size, loaded.estimator.n_features_in_
    if json:
        print_json({"out": str(onnx), "bytes": size, "features": width})
        return
    show(f"saved {onnx} ({size / 1024:,.0f} KB)")
    if loaded.recipe is not None:
        show(f"its input X has {width:,} columns, as the recipe in {model} makes them")
