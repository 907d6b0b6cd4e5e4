# In:  only the configuration, and results/synthetic/optima.npz.
# Out: results/readings/rung_RUNG/{chosen,part_PART}.csv, results/readings/batches/*.npz,
#      results/readings/{best,numbers,dimensions,search}.csv, readings.md, readings.json.
# Steps: for each rung, choose readings by the scores of the rung before, play and score them in parts; make the tables.
#        Not part of the default run. Which readings a rung has is known only when the one before is done, but not how
#        many jobs: each part plays its share. Batches are named after all that they depend on, and kept: a part that is
#        run again, after a kill or because another rung needs the same batches, plays only what is missing.


rule choose_readings:
    input:
        script=script("choose_readings.py"),
        players=[relative(PLAN.players.sources(name)) for name in PLAN.readings.bandits],
        chosen=lambda wildcards: expand(
            READINGS_OF_RUNG, rung=range(int(wildcards.rung))
        ),
        scored=lambda wildcards: (
            parts_of_rung(int(wildcards.rung) - 1) if int(wildcards.rung) else []
        ),
    output:
        READINGS_OF_RUNG,
    log:
        "logs/readings/choose/{rung}.log",
    benchmark:
        "logs/readings/choose/{rung}.tsv"
    conda:
        CONDA
    resources:
        mem_mb=megabytes(600),
        runtime=minutes(10),
    params:
        config=PLAN.readings.config(),
    message:
        "Choosing the readings of rung {wildcards.rung}"
    shell:
        "python {input.script[0]} --config {params.config:q} --rung {wildcards.rung} --chosen {input.chosen:q}"
        " --scored {input.scored:q} --output {output:q} > {log:q} 2>&1"


rule play_readings:
    input:
        script=script("play_readings.py"),
        players=[relative(PLAN.players.sources(name)) for name in PLAN.readings.bandits],
        chosen=READINGS_OF_RUNG,
        optima=rules.optima.output.optima,
    output:
        PART_OF_RUNG,
    log:
        "logs/readings/play/{rung}_{part}.log",
    benchmark:
        "logs/readings/play/{rung}_{part}.tsv"
    conda:
        CONDA
    resources:
        mem_mb=megabytes(800),
        runtime=lambda wildcards, attempt: PLAN.readings.minutes * 2 ** (attempt - 1),
    params:
        config=PLAN.readings.config(),
        batches="results/readings/batches",
    message:
        "Playing the readings of rung {wildcards.rung}, part {wildcards.part}"
    shell:
        "python {input.script[0]} --config {params.config:q} --rung {wildcards.rung} --part {wildcards.part}"
        " --chosen {input.chosen:q} --optima {input.optima:q} --batches {params.batches:q} --output {output:q} > {log:q} 2>&1"


rule tabulate_readings:
    input:
        script=script("readings.py"),
        chosen=expand(READINGS_OF_RUNG, rung=range(PLAN.readings.last + 1)),
        first=parts_of_rung(0),
        last=parts_of_rung(PLAN.readings.last),
    output:
        multiext(
            "results/readings/",
            "best.csv",
            "numbers.csv",
            "dimensions.csv",
            "search.csv",
            "readings.md",
            "readings.json",
        ),
    log:
        "logs/readings/tables.log",
    benchmark:
        "logs/readings/tables.tsv"
    conda:
        CONDA
    resources:
        mem_mb=megabytes(600),
        runtime=minutes(10),
    params:
        config=PLAN.readings.config(),
        folder=subpath(output[0], parent=True),
    message:
        "Making the tables of the search for readings"
    shell:
        "python {input.script[0]} --config {params.config:q} --chosen {input.chosen:q} --first {input.first:q}"
        " --last {input.last:q} --folder {params.folder:q} > {log:q} 2>&1"
