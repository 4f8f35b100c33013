"""The sources that results name, by key."""

from timegrain.core.citing import Reference

_ALL = (
    Reference(
        key="yu2026continuity",
        kind="misc",
        authors=(("Yu", "Annan"), ("Lyu", "Dongwei"), ("Erichson", "N. Benjamin")),
        title="Continuity Laws for Sequential Models",
        year=2026,
        arxiv="2605.08539",
    ),
    Reference(
        key="roache1994perspective",
        kind="article",
        authors=(("Roache", "P. J."),),
        title="Perspective: A Method for Uniform Reporting of Grid Refinement Studies",
        year=1994,
        venue="Journal of Fluids Engineering",
        volume="116",
        number="3",
        pages="405-413",
        doi="10.1115/1.2910291",
    ),
    Reference(
        key="celik2008procedure",
        kind="article",
        authors=(
            ("Celik", "I. B."),
            ("Ghia", "U."),
            ("Roache", "P. J."),
            ("Freitas", "C. J."),
            ("Coleman", "H."),
            ("Raad", "P. E."),
        ),
        title=(
            "Procedure for Estimation and Reporting of Uncertainty Due to Discretization in CFD "
            "Applications"
        ),
        year=2008,
        venue="Journal of Fluids Engineering",
        volume="130",
        number="7",
        pages="078001",
        doi="10.1115/1.2960953",
    ),
    Reference(
        key="richardson1911approximate",
        kind="article",
        authors=(("Richardson", "L. F."),),
        title=(
            "The Approximate Arithmetical Solution by Finite Differences of Physical Problems "
            "Involving Differential Equations, with an Application to the Stresses in a Masonry Dam"
        ),
        year=1911,
        venue="Philosophical Transactions of the Royal Society A",
        volume="210",
        pages="307-357",
        doi="10.1098/rsta.1911.0009",
    ),
    Reference(
        key="hettmansperger1986confidence",
        kind="article",
        authors=(("Hettmansperger", "T. P."), ("Sheather", "S. J.")),
        title="Confidence Intervals Based on Interpolated Order Statistics",
        year=1986,
        venue="Statistics & Probability Letters",
        volume="4",
        number="2",
        pages="75-79",
        doi="10.1016/0167-7152(86)90021-0",
    ),
    Reference(
        key="prince1981high",
        kind="article",
        authors=(("Prince", "P. J."), ("Dormand", "J. R.")),
        title="High Order Embedded Runge-Kutta Formulae",
        year=1981,
        venue="Journal of Computational and Applied Mathematics",
        volume="7",
        number="1",
        pages="67-75",
        doi="10.1016/0771-050X(81)90010-3",
    ),
    Reference(
        key="hochbruck2010exponential",
        kind="article",
        authors=(("Hochbruck", "M."), ("Ostermann", "A.")),
        title="Exponential Integrators",
        year=2010,
        venue="Acta Numerica",
        volume="19",
        pages="209-286",
        doi="10.1017/S0962492910000048",
    ),
    Reference(
        key="yu2016multi",
        kind="inproceedings",
        authors=(("Yu", "Fisher"), ("Koltun", "Vladlen")),
        title="Multi-Scale Context Aggregation by Dilated Convolutions",
        year=2016,
        venue="International Conference on Learning Representations",
        arxiv="1511.07122",
    ),
    Reference(
        key="vonneumann1941distribution",
        kind="article",
        authors=(("von Neumann", "J."),),
        title=(
            "Distribution of the Ratio of the Mean Square Successive Difference to the Variance"
        ),
        year=1941,
        venue="Annals of Mathematical Statistics",
        volume="12",
        number="4",
        pages="367-395",
        doi="10.1214/aoms/1177731677",
    ),
    Reference(
        key="dempster2020rocket",
        kind="article",
        authors=(("Dempster", "Angus"), ("Petitjean", "François"), ("Webb", "Geoffrey I.")),
        title=(
            "ROCKET: Exceptionally Fast and Accurate Time Series Classification Using Random "
            "Convolutional Kernels"
        ),
        year=2020,
        venue="Data Mining and Knowledge Discovery",
        volume="34",
        number="5",
        pages="1454-1495",
        doi="10.1007/s10618-020-00701-z",
    ),
    Reference(
        key="golub1979generalized",
        kind="article",
        authors=(("Golub", "G. H."), ("Heath", "M."), ("Wahba", "G.")),
        title="Generalized Cross-Validation as a Method for Choosing a Good Ridge Parameter",
        year=1979,
        venue="Technometrics",
        volume="21",
        number="2",
        pages="215-223",
        doi="10.1080/00401706.1979.10489751",
    ),
    Reference(
        key="agresti2005simple",
        kind="article",
        authors=(("Agresti", "A."), ("Min", "Y.")),
        title="Simple Improved Confidence Intervals for Comparing Matched Proportions",
        year=2005,
        venue="Statistics in Medicine",
        volume="24",
        number="5",
        pages="729-740",
        doi="10.1002/sim.1781",
    ),
    Reference(
        key="loshchilov2019decoupled",
        kind="inproceedings",
        authors=(("Loshchilov", "Ilya"), ("Hutter", "Frank")),
        title="Decoupled Weight Decay Regularization",
        year=2019,
        venue="International Conference on Learning Representations",
        arxiv="1711.05101",
    ),
    Reference(
        key="gu2020hippo",
        kind="inproceedings",
        authors=(
            ("Gu", "Albert"),
            ("Dao", "Tri"),
            ("Ermon", "Stefano"),
            ("Rudra", "Atri"),
            ("Ré", "Christopher"),
        ),
        title="HiPPO: Recurrent Memory with Optimal Polynomial Projections",
        year=2020,
        venue="Advances in Neural Information Processing Systems",
        arxiv="2008.07669",
    ),
    Reference(
        key="gu2022efficiently",
        kind="inproceedings",
        authors=(("Gu", "Albert"), ("Goel", "Karan"), ("Ré", "Christopher")),
        title="Efficiently Modeling Long Sequences with Structured State Spaces",
        year=2022,
        venue="International Conference on Learning Representations",
        arxiv="2111.00396",
    ),
    Reference(
        key="gu2022parameterization",
        kind="inproceedings",
        authors=(
            ("Gu", "Albert"),
            ("Gupta", "Ankit"),
            ("Goel", "Karan"),
            ("Ré", "Christopher"),
        ),
        title="On the Parameterization and Initialization of Diagonal State Space Models",
        year=2022,
        venue="Advances in Neural Information Processing Systems",
        arxiv="2206.11893",
    ),
    Reference(
        key="smith2023simplified",
        kind="inproceedings",
        authors=(("Smith", "Jimmy T. H."), ("Warrington", "Andrew"), ("Linderman", "Scott W.")),
        title="Simplified State Space Layers for Sequence Modeling",
        year=2023,
        venue="International Conference on Learning Representations",
        arxiv="2208.04933",
    ),
    Reference(
        key="gu2023mamba",
        kind="misc",
        authors=(("Gu", "Albert"), ("Dao", "Tri")),
        title="Mamba: Linear-Time Sequence Modeling with Selective State Spaces",
        year=2023,
        arxiv="2312.00752",
    ),
    Reference(
        key="vaswani2017attention",
        kind="inproceedings",
        authors=(
            ("Vaswani", "Ashish"),
            ("Shazeer", "Noam"),
            ("Parmar", "Niki"),
            ("Uszkoreit", "Jakob"),
            ("Jones", "Llion"),
            ("Gomez", "Aidan N."),
            ("Kaiser", "Lukasz"),
            ("Polosukhin", "Illia"),
        ),
        title="Attention Is All You Need",
        year=2017,
        venue="Advances in Neural Information Processing Systems",
        arxiv="1706.03762",
    ),
    Reference(
        key="su2021roformer",
        kind="misc",
        authors=(
            ("Su", "Jianlin"),
            ("Lu", "Yu"),
            ("Pan", "Shengfeng"),
            ("Murtadha", "Ahmed"),
            ("Wen", "Bo"),
            ("Liu", "Yunfeng"),
        ),
        title="RoFormer: Enhanced Transformer with Rotary Position Embedding",
        year=2021,
        arxiv="2104.09864",
    ),
    Reference(
        key="cho2014learning",
        kind="inproceedings",
        authors=(
            ("Cho", "Kyunghyun"),
            ("van Merrienboer", "Bart"),
            ("Gulcehre", "Caglar"),
            ("Bahdanau", "Dzmitry"),
            ("Bougares", "Fethi"),
            ("Schwenk", "Holger"),
            ("Bengio", "Yoshua"),
        ),
        title=(
            "Learning Phrase Representations Using RNN Encoder-Decoder for Statistical Machine "
            "Translation"
        ),
        year=2014,
        venue="Conference on Empirical Methods in Natural Language Processing",
        arxiv="1406.1078",
    ),
    Reference(
        key="bai2018empirical",
        kind="misc",
        authors=(("Bai", "Shaojie"), ("Kolter", "J. Zico"), ("Koltun", "Vladlen")),
        title=(
            "An Empirical Evaluation of Generic Convolutional and Recurrent Networks for Sequence "
            "Modeling"
        ),
        year=2018,
        arxiv="1803.01271",
    ),
)

REFERENCES = {reference.key: reference for reference in _ALL}
PAPER = "yu2026continuity"
"""The paper whose question this package asks."""
GRIDS = ("roache1994perspective", "celik2008procedure")
"""Of orders of convergence and the grid convergence index."""
PROBE = ("dempster2020rocket", "golub1979generalized")
"""Of random convolutions and the ridge on them."""
