# In:  results/SUITE/{pairs,counts,claims,strata,ranks,profiles,regrets,datasets}.csv, results/synthetic/*.{csv,npz}, results/sensitivity/*.csv.
# Out: figures/SUITE/{pairwise_READING_PROTOCOL,claims,{strata,ranks,profiles,regrets,wins}_READING}.*, figures/synthetic/*, figures/sensitivity/atlas.*, in the formats of the configuration.
# A figure never computes: it draws a table. The parameter `datasets` is for captions (workflow/report).


rule draw_pairwise:
    input:
        script=script("draw_pairwise.py"),
        pairs=rules.compare.output.pairs,
        counts=rules.compare.output.counts,
        datasets=rules.collect.output.datasets,
    output:
        drawings(
            f"{SUITE}{{part}}/pairwise_{{reading}}_{{protocol}}",
            "pairwise",
            "Classification",
        ),
    log:
        f"logs/{SUITE}{{part}}/draw_pairwise/{{reading}}_{{protocol}}.log",
    benchmark:
        f"logs/{SUITE}{{part}}/draw_pairwise/{{reading}}_{{protocol}}.tsv"
    conda:
        CONDA
    resources:
        mem_mb=lambda wildcards, attempt: 1000 * 2 ** (attempt - 1),
        runtime=lambda wildcards, attempt: 10 * attempt,
    params:
        bandits=BANDITS,
        test=config["classification"]["significance"],
        runs=config["classification"]["runs"],
        datasets=datasets_shown,
    message:
        "Drawing the pairwise grid: variance {wildcards.reading}, protocol {wildcards.protocol}"
    shell:
        "python {input.script[0]} --pairs {input.pairs:q} --counts {input.counts:q} --datasets {input.datasets:q}"
        " --bandits {params.bandits:q} --reading {wildcards.reading} --protocol {wildcards.protocol}"
        " --test {params.test} --runs {params.runs} --outputs {output:q} > {log:q} 2>&1"


rule draw_claims:
    input:
        script=script("draw_claims.py"),
        claims=rules.compare.output.claims,
        datasets=rules.collect.output.datasets,
    output:
        drawings(f"{SUITE}{{part}}/claims", "claims", "Classification"),
    log:
        f"logs/{SUITE}{{part}}/draw_claims.log",
    benchmark:
        f"logs/{SUITE}{{part}}/draw_claims.tsv"
    conda:
        CONDA
    resources:
        mem_mb=lambda wildcards, attempt: 1000 * 2 ** (attempt - 1),
        runtime=lambda wildcards, attempt: 10 * attempt,
    params:
        datasets=datasets_shown,
    message:
        "Drawing the paper's claims on the pairwise grid{wildcards.part}"
    shell:
        "python {input.script[0]} --claims {input.claims:q}"
        " --outputs {output:q} > {log:q} 2>&1"


rule draw_strata:
    input:
        script=script("draw_strata.py"),
        strata=rules.compare.output.strata,
        datasets=rules.collect.output.datasets,
    output:
        drawings(f"{SUITE}{{part}}/strata_{{reading}}", "strata", "Classification"),
    log:
        f"logs/{SUITE}{{part}}/draw_strata/{{reading}}.log",
    benchmark:
        f"logs/{SUITE}{{part}}/draw_strata/{{reading}}.tsv"
    conda:
        CONDA
    resources:
        mem_mb=lambda wildcards, attempt: 1000 * 2 ** (attempt - 1),
        runtime=lambda wildcards, attempt: 10 * attempt,
    params:
        datasets=datasets_shown,
    message:
        "Drawing the claims by the size of datasets: variance {wildcards.reading}"
    shell:
        "python {input.script[0]} --strata {input.strata:q} --reading {wildcards.reading}"
        " --outputs {output:q} > {log:q} 2>&1"


rule draw_standings:
    input:
        script=script("draw_standings.py"),
        ranks=rules.compare.output.ranks,
        profiles=rules.compare.output.profiles,
        regrets=rules.compare.output.regrets,
        counts=rules.compare.output.counts,
        datasets=rules.collect.output.datasets,
    output:
        ranks=drawings(f"{SUITE}{{part}}/ranks_{{reading}}", "ranks", "Classification"),
        profiles=drawings(
            f"{SUITE}{{part}}/profiles_{{reading}}", "profiles", "Classification"
        ),
        regrets=drawings(
            f"{SUITE}{{part}}/regrets_{{reading}}", "regrets", "Classification"
        ),
        wins=drawings(f"{SUITE}{{part}}/wins_{{reading}}", "wins", "Classification"),
    log:
        f"logs/{SUITE}{{part}}/draw_standings/{{reading}}.log",
    benchmark:
        f"logs/{SUITE}{{part}}/draw_standings/{{reading}}.tsv"
    conda:
        CONDA
    resources:
        mem_mb=lambda wildcards, attempt: 1000 * 2 ** (attempt - 1),
        runtime=lambda wildcards, attempt: 10 * attempt,
    params:
        bandits=BANDITS,
        datasets=datasets_shown,
    message:
        "Drawing ranks, profiles, mean regrets and wins: variance {wildcards.reading}"
    shell:
        "python {input.script[0]} --ranks {input.ranks:q} --profiles {input.profiles:q} --regrets {input.regrets:q}"
        " --counts {input.counts:q} --bandits {params.bandits:q} --reading {wildcards.reading}"
        " --ranks-outputs {output.ranks:q} --profiles-outputs {output.profiles:q}"
        " --regrets-outputs {output.regrets:q} --wins-outputs {output.wins:q} > {log:q} 2>&1"


rule draw_surfaces:
    input:
        script=script("draw_surfaces.py"),
        surfaces=rules.optima.output.surfaces,
    output:
        drawings("synthetic/surfaces", "surfaces", "The synthetic example"),
    log:
        "logs/synthetic/draw_surfaces.log",
    benchmark:
        "logs/synthetic/draw_surfaces.tsv"
    conda:
        CONDA
    resources:
        mem_mb=lambda wildcards, attempt: 1000 * 2 ** (attempt - 1),
        runtime=lambda wildcards, attempt: 10 * attempt,
    message:
        "Drawing the reward surfaces of the synthetic example (Figure 1)"
    shell:
        "python {input.script[0]} --surfaces {input.surfaces:q}"
        " --outputs {output:q} > {log:q} 2>&1"


rule draw_evolution:
    input:
        script=script("draw_evolution.py"),
        evolution="results/synthetic/evolution.npz",
        optima=rules.optima.output.optima,
    output:
        drawings(
            "synthetic/evolution_{specification}", "evolution", "The synthetic example"
        ),
    log:
        "logs/synthetic/draw_evolution/{specification}.log",
    benchmark:
        "logs/synthetic/draw_evolution/{specification}.tsv"
    conda:
        CONDA
    resources:
        mem_mb=lambda wildcards, attempt: 1000 * 2 ** (attempt - 1),
        runtime=lambda wildcards, attempt: 10 * attempt,
    message:
        "Drawing the evolution of the assignment in the synthetic example, {wildcards.specification}-specified"
    shell:
        "python {input.script[0]} --specification {wildcards.specification} --evolution {input.evolution:q} --optima {input.optima:q}"
        " --outputs {output:q} > {log:q} 2>&1"


rule draw_curves:
    input:
        script=script("draw_curves.py"),
        curves="results/synthetic/curves.csv",
        table="results/synthetic/table1.csv",
    output:
        drawings("synthetic/curves", "curves", "The synthetic example"),
    log:
        "logs/synthetic/draw_curves.log",
    benchmark:
        "logs/synthetic/draw_curves.tsv"
    conda:
        CONDA
    resources:
        mem_mb=lambda wildcards, attempt: 1000 * 2 ** (attempt - 1),
        runtime=lambda wildcards, attempt: 10 * attempt,
    message:
        "Drawing the regret and find curves of the synthetic example"
    shell:
        "python {input.script[0]} --curves {input.curves:q} --table {input.table:q}"
        " --outputs {output:q} > {log:q} 2>&1"


rule draw_criteria:
    input:
        script=script("draw_criteria.py"),
        rates="results/synthetic/rates.csv",
        table="results/synthetic/table1.csv",
    output:
        drawings("synthetic/criteria", "criteria", "The synthetic example"),
    log:
        "logs/synthetic/draw_criteria.log",
    benchmark:
        "logs/synthetic/draw_criteria.tsv"
    conda:
        CONDA
    resources:
        mem_mb=lambda wildcards, attempt: 1000 * 2 ** (attempt - 1),
        runtime=lambda wildcards, attempt: 10 * attempt,
    message:
        "Drawing how the synthetic example depends on the criterion"
    shell:
        "python {input.script[0]} --rates {input.rates:q} --table {input.table:q}"
        " --outputs {output:q} > {log:q} 2>&1"


rule draw_settings:
    input:
        script=script("draw_settings.py"),
        rates="results/synthetic/rates.csv",
        table="results/synthetic/table1.csv",
    output:
        drawings("synthetic/settings", "settings", "The synthetic example"),
    log:
        "logs/synthetic/draw_settings.log",
    benchmark:
        "logs/synthetic/draw_settings.tsv"
    conda:
        CONDA
    resources:
        mem_mb=lambda wildcards, attempt: 1000 * 2 ** (attempt - 1),
        runtime=lambda wildcards, attempt: 10 * attempt,
    message:
        "Drawing what every setting finds in the synthetic example"
    shell:
        "python {input.script[0]} --rates {input.rates:q} --table {input.table:q}"
        " --outputs {output:q} > {log:q} 2>&1"


rule draw_atlas:
    input:
        script=script("draw_atlas.py"),
        atlas=rules.atlas.output.atlas,
        orderings=rules.atlas.output.orderings,
    output:
        drawings("sensitivity/atlas", "atlas", "Sensitivity of the synthetic example"),
    log:
        "logs/sensitivity/draw_atlas.log",
    benchmark:
        "logs/sensitivity/draw_atlas.tsv"
    conda:
        CONDA
    resources:
        mem_mb=lambda wildcards, attempt: 1000 * 2 ** (attempt - 1),
        runtime=lambda wildcards, attempt: 10 * attempt,
    message:
        "Drawing the sensitivity atlas"
    shell:
        "python {input.script[0]} --atlas {input.atlas:q} --orderings {input.orderings:q}"
        " --outputs {output:q} > {log:q} 2>&1"


rule figures:
    input:
        comparison_drawings(""),
        rules.draw_surfaces.output,
        expand(rules.draw_evolution.output, specification=["well", "mis"]),
        rules.draw_curves.output,
        rules.draw_criteria.output,
        rules.draw_settings.output,
    message:
        "The figures are drawn: {input}"
