# In:  the rows of the suite.
# Out: data/SUITE/raw/DATASET (bytes as published), data/SUITE/DATASET.npz (contexts and labels),
#      results/SUITE/table2.{csv,md,tex} (Table 2 of the paper for these datasets).
# Steps: fetch, encode; with `strict`, check that all can be played; after the runs are collected, make Table 2.

from balanced_bandits.datasets.sources.registry import share_terminal

try:
    DATASETS.check_folders()
except InputError as error:
    raise WorkflowError(str(error)) from None

share_terminal()


rule fetch:
    input:
        script=script("fetch.py"),
        source=lambda wildcards: relative(DATASETS.sources(wildcards.dataset)),
        file=lambda wildcards: DATASETS.local_file(wildcards.dataset),
    output:
        f"data/{SUITE}/raw/{{dataset}}",
    log:
        f"logs/{SUITE}/fetch/{{dataset}}.log",
    benchmark:
        f"logs/{SUITE}/fetch/{{dataset}}.tsv"
    priority: lambda wildcards: CLASSIFICATION.urgency(wildcards.dataset)
    # Nodes of a cluster often have no network access.
    localrule: True
    conda:
        CONDA
    resources:
        mem_mb=lambda wildcards, attempt: DATASETS.megabytes(wildcards.dataset)
        * 2 ** (attempt - 1),
        # Jobs of source openml may have to wait for each other.
        runtime=minutes(60),
    params:
        row=lambda wildcards: DATASETS.rows[wildcards.dataset].to_json(),
        folder=str(DATASETS.file.parent),
        cache=str(ARCHIVES),
        server=lambda wildcards: DATASETS.server(wildcards.dataset),  # not in the command; another server may have other data
    message:
        "Fetching {wildcards.dataset}"
    shell:
        "python {input.script[0]} --row {params.row:q} --folder {params.folder:q} --cache {params.cache:q}"
        " --output {output:q} > {log:q} 2>&1"


rule encode:
    input:
        script=script("encode.py"),
        source=lambda wildcards: relative(DATASETS.sources(wildcards.dataset)),
        raw=rules.fetch.output,
    output:
        f"data/{SUITE}/{{dataset}}.npz",
    log:
        f"logs/{SUITE}/encode/{{dataset}}.log",
    benchmark:
        f"logs/{SUITE}/encode/{{dataset}}.tsv"
    priority: lambda wildcards: CLASSIFICATION.urgency(wildcards.dataset)
    group:
        group_of
    conda:
        CONDA
    resources:
        mem_mb=lambda wildcards, attempt: DATASETS.megabytes(wildcards.dataset)
        * 2 ** (attempt - 1),
        runtime=lambda wildcards, attempt: (2 if group_of(wildcards) else 10) * attempt,
    params:
        row=lambda wildcards: DATASETS.rows[wildcards.dataset].to_json(),
        how=DATASETS.preparation(),
    message:
        "Encoding {wildcards.dataset}"
    shell:
        "python {input.script[0]} --row {params.row:q} --raw {input.raw:q} --how {params.how:q}"
        " --output {output:q} > {log:q} 2>&1"


rule admit:
    input:
        script=script("admit.py"),
        datasets=expand(rules.encode.output, dataset=DATASETS.rows),
    output:
        f"{RESULTS}/admitted.txt",
    log:
        f"logs/{SUITE}/admit.log",
    benchmark:
        f"logs/{SUITE}/admit.tsv"
    priority: CLASSIFICATION.early
    conda:
        CONDA
    resources:
        mem_mb=megabytes(2000),
        runtime=minutes(10),
    params:
        suite=DATASETS.options,
        datasets=rules.encode.output[0].replace("{dataset}", "DATASET"),
    message:
        "Checking that all datasets can be played"
    shell:
        "python {input.script[0]} {params.suite:q} --datasets {params.datasets:q} --output {output:q} > {log:q} 2>&1"


rule table2:
    input:
        script=script("table2.py"),
        datasets=f"{RESULTS}/datasets.csv",
    output:
        csv=f"{RESULTS}/table2.csv",
        markdown=f"{RESULTS}/table2.md",
        latex=f"{RESULTS}/table2.tex",
    log:
        f"logs/{SUITE}/table2.log",
    benchmark:
        f"logs/{SUITE}/table2.tsv"
    conda:
        CONDA
    resources:
        mem_mb=megabytes(1000),
        runtime=minutes(10),
    message:
        "Making Table 2"
    shell:
        "python {input.script[0]} --datasets {input.datasets:q} --csv {output.csv:q} --markdown {output.markdown:q}"
        " --latex {output.latex:q} > {log:q} 2>&1"
