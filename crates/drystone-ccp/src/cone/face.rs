//! The face of a friction cone that a point is projected onto.

use super::{MAX_ROWS, Metric, Parts};
use crate::norm::length;

/// Where the projection of a point onto a friction cone lands: the parts that bind, and the height
/// above the tip.
pub(super) struct Face {
    binds: [bool; 3],
    /// `‖x_k‖` of the projected point.
    lengths: [f64; 3],
    /// Height above the tip; zero or less: the tip.
    height: f64,
    /// `p_n + Σ p_k mu_k²` over the binding parts.
    weight: f64,
    metric: Metric,
}

impl Face {
    pub fn of(parts: &Parts, cohesion: f64, metric: &Metric, y: &[f64]) -> Self {
        let parts = parts.as_slice();
        let mut lengths = [0.0; 3];
        for (size, p) in lengths.iter_mut().zip(parts) {
            *size = length(&y[p.start..p.start + p.len]);
        }
        let mut binds = [false; 3];
        let mut weight = metric.normal;
        let mut sum = metric.normal * (y[0] + cohesion);
        loop {
            // Of the parts that lie outside at the present height, take the one furthest out.
            let height = sum / weight;
            let outside = (0..parts.len())
                .filter(|&k| !binds[k] && lengths[k] > parts[k].mu * height)
                .max_by(|&i, &j| (lengths[i] * parts[j].mu).total_cmp(&(lengths[j] * parts[i].mu)));
            let Some(k) = outside else {
                return Self {
                    binds,
                    lengths,
                    height,
                    weight,
                    metric: *metric,
                };
            };
            binds[k] = true;
            weight += metric.parts[k] * parts[k].mu * parts[k].mu;
            sum += metric.parts[k] * parts[k].mu * lengths[k];
        }
    }

    pub fn apply(&self, parts: &Parts, cohesion: f64, y: &mut [f64]) {
        let height = if self.height < 0.0 { 0.0 } else { self.height };
        y[0] = height - cohesion;
        for (k, p) in parts.as_slice().iter().enumerate() {
            if self.binds[k] || height == 0.0 {
                let scale = if self.lengths[k] > 0.0 {
                    p.mu * height / self.lengths[k]
                } else {
                    0.0
                };
                y[p.start..p.start + p.len]
                    .iter_mut()
                    .for_each(|x| *x *= scale.min(1.0));
            }
        }
    }

    pub fn jacobian(&self, parts: &Parts, y: &[f64], out: &mut [f64]) {
        if self.height <= 0.0 {
            return; // the tip does not move
        }
        let parts = parts.as_slice();
        let d = 1 + parts.iter().map(|p| p.len).sum::<usize>();
        // d(height), a row vector over the block's rows.
        let mut dh = [0.0; MAX_ROWS];
        dh[0] = self.metric.normal / self.weight;
        for (k, p) in parts.iter().enumerate().filter(|(k, _)| self.binds[*k]) {
            for j in p.start..p.start + p.len {
                dh[j] = self.metric.parts[k] * p.mu * y[j] / (self.lengths[k] * self.weight);
            }
        }
        out[..d].copy_from_slice(&dh[..d]);
        for (k, p) in parts.iter().enumerate() {
            let rows = p.start..p.start + p.len;
            if p.mu == 0.0 {
                continue; // held at zero
            }
            if !self.binds[k] {
                rows.for_each(|i| out[i * d + i] = 1.0);
                continue;
            }
            // x ↦ mu h x/‖x‖
            let length = self.lengths[k];
            let stretch = p.mu * self.height / length;
            for i in rows.clone() {
                for (o, &h) in out[i * d..(i + 1) * d].iter_mut().zip(&dh[..d]) {
                    *o = p.mu * h * y[i] / length;
                }
                out[i * d + i] += stretch;
                for j in rows.clone() {
                    out[i * d + j] -= stretch * y[i] * y[j] / (length * length);
                }
            }
        }
    }
}
