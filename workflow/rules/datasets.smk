# In:  the rows of the suite.
# Out: data/SUITE/raw/DATASET (bytes as published), data/SUITE/DATASET.npz (contexts and labels).
#      results/SUITE/table2.{csv,md,tex} (Table 2 of the paper, of the datasets in use).
# Steps: fetch, encode; with `strict`, admit; then, when all is collected, count.


rule fetch:
    input:
        script=script("fetch.py"),
        source=lambda wildcards: module_sources(SOURCES[ROWS[wildcards.dataset].source]),
        file=local_file,
    output:
        f"data/{SUITE}/raw/{{dataset}}",
    log:
        f"logs/{SUITE}/fetch/{{dataset}}.log",
    benchmark:
        f"logs/{SUITE}/fetch/{{dataset}}.tsv"
    priority: urgency
    # Nodes of a cluster often have no way to the world.
    localrule: True
    conda:
        CONDA
    resources:
        mem_mb=lambda wildcards, attempt: megabytes(ROWS[wildcards.dataset])
        * 2 ** (attempt - 1),
        # Jobs of source openml wait for their turn.
        runtime=lambda wildcards, attempt: 60 * attempt,
    params:
        row=lambda wildcards: ROWS[wildcards.dataset].to_json(),
        folder=str(SUITE_FILE.parent),
        cache="data/archives",
        server=lambda wildcards: openml_server(wildcards),  # not in the command: another server, another dataset
    message:
        "Fetching {wildcards.dataset}"
    shell:
        "python {input.script[0]} --row {params.row:q} --folder {params.folder:q} --cache {params.cache:q}"
        " --output {output:q} > {log:q} 2>&1"


rule encode:
    input:
        script=script("encode.py"),
        source=lambda wildcards: module_sources(SOURCES[ROWS[wildcards.dataset].source]),
        raw=rules.fetch.output,
    output:
        f"data/{SUITE}/{{dataset}}.npz",
    log:
        f"logs/{SUITE}/encode/{{dataset}}.log",
    benchmark:
        f"logs/{SUITE}/encode/{{dataset}}.tsv"
    priority: urgency
    group:
        batch
    conda:
        CONDA
    resources:
        mem_mb=lambda wildcards, attempt: megabytes(ROWS[wildcards.dataset])
        * 2 ** (attempt - 1),
        runtime=lambda wildcards, attempt: (
            GROUPED_MINUTES if batch(wildcards) else 10
        )
        * attempt,
    params:
        row=lambda wildcards: ROWS[wildcards.dataset].to_json(),
        max_levels=config["max_levels"],
        caps=caps(),
    message:
        "Encoding {wildcards.dataset}"
    shell:
        "python {input.script[0]} --row {params.row:q} --raw {input.raw:q} --max-levels {params.max_levels}"
        " --caps {params.caps:q} --output {output:q} > {log:q} 2>&1"


rule admit:
    input:
        script=script("admit.py"),
        datasets=expand(rules.encode.output, dataset=ROWS),
    output:
        f"{RESULTS}/admitted.txt",
    log:
        f"logs/{SUITE}/admit.log",
    benchmark:
        f"logs/{SUITE}/admit.tsv"
    priority: EARLY
    conda:
        CONDA
    resources:
        mem_mb=lambda wildcards, attempt: 2000 * 2 ** (attempt - 1),
        runtime=lambda wildcards, attempt: 10 * attempt,
    params:
        suite=SUITE_OPTIONS,
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
        mem_mb=lambda wildcards, attempt: 1000 * 2 ** (attempt - 1),
        runtime=lambda wildcards, attempt: 10 * attempt,
    message:
        "Making Table 2"
    shell:
        "python {input.script[0]} --datasets {input.datasets:q} --csv {output.csv:q} --markdown {output.markdown:q}"
        " --latex {output.latex:q} > {log:q} 2>&1"
