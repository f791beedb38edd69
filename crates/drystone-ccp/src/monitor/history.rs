//! The rows that a monitor keeps of a solve: all of them, or a bounded number that thins out.

use crate::outcome::HistoryRow;

/// Rows kept so far.
#[derive(Debug)]
pub(super) struct History {
    /// Most rows to keep; 0 for none.
    limit: usize,
    /// Every how many checks a row is kept: doubled when the limit is reached.
    stride: usize,
    checks: usize,
    rows: Vec<HistoryRow>,
}

impl History {
    /// At most `limit` rows; 0 for none.
    pub fn new(limit: usize) -> Self {
        Self {
            // One row could not hold both the start and the end.
            limit: if limit == 0 { 0 } else { limit.max(2) },
            stride: 1,
            checks: 0,
            rows: Vec::new(),
        }
    }

    /// Whether any row is to be kept.
    pub fn is_wanted(&self) -> bool {
        self.limit > 0
    }

    /// Counts one check and says whether to keep its row. The row that ends the solve is always
    /// kept.
    pub fn is_due(&mut self, last: bool) -> bool {
        let due = self.checks.is_multiple_of(self.stride) || last;
        self.checks += 1;
        self.limit > 0 && due
    }

    /// Keeps a row; thins the others out if there are too many.
    pub fn push(&mut self, row: HistoryRow) {
        if self.rows.len() >= self.limit {
            // The first quarter stays whole: the early iterations are most of a logarithmic axis.
            let head = self.limit / 4;
            let mut count = 0_usize;
            self.rows.retain(|_| {
                count += 1;
                count <= head || count % 2 == 1
            });
            self.stride *= 2;
        }
        self.rows.push(row);
    }

    /// Hands the rows over.
    pub fn take(&mut self) -> Vec<HistoryRow> {
        std::mem::take(&mut self.rows)
    }
}
