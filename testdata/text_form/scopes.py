# Origin: written for mxtile. Shows: scopes with bodies, in each of their forms.
import pypto.language as pl


@pl.program
class Scopes:
    @pl.function(type=pl.FunctionType.InCore)
    def scale(x: pl.Tensor[[64, 64], pl.FP32], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        t = pl.load(x, [0, 0], [64, 64])
        done = pl.store(pl.mul(t, 2.0), [0, 0], out)
        return done

    @pl.function(type=pl.FunctionType.Orchestration, auto_scope=False)
    def main(self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Tensor[[64, 64], pl.FP32]) -> pl.Tensor[[64, 64], pl.FP32]:
        # Tasks launched in here end with the scope.
        with pl.scope():
            first, first_task = pl.submit(self.scale, x, y)
        with pl.manual_scope():
            second, _ = pl.submit(self.scale, first, y, deps=[first_task])
        with pl.scope(mode=pl.ScopeMode.MANUAL):
            third, third_task = pl.submit(self.scale, second, y)
        return third

    @pl.function
    def levels(self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Tensor[[64, 64], pl.FP32]) -> pl.Tensor[[64, 64], pl.FP32]:
        with pl.at(level=pl.Level.HOST, role=pl.Role.Orchestrator):
            a = pl.add(x, y)
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="sum", optimizations=[pl.split(pl.SplitMode.UP_DOWN), pl.cross_core_slot(slot_num=8)]) as task:
            b = pl.add(a, y)
        with pl.at(pl.Level.CORE_GROUP, deps=[task], no_dep_args=[x], dumps=[y], allow_early_resolve=True, windowize=True):
            c = pl.add(b, x)
        with pl.cluster(name_hint="pair"):
            d = pl.mul(c, c)
        with pl.spmd(4, sync_start=True, deps=[task]) as grid:
            e = pl.mul(d, y)
        return e
