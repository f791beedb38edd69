//! The names of a world's bodies. Bodies of one name form a group.

use std::collections::HashMap;

/// All groups, in the order in which their names first appeared.
#[derive(Default)]
pub(super) struct Groups {
    list: Vec<BodyGroup>,
    /// Index of each name. Looked up only, never walked: its order differs from run to run.
    by_name: HashMap<String, u32>,
}

/// Bodies of one name.
pub(super) struct BodyGroup {
    pub name: String,
    pub members: u32,
}

impl Groups {
    /// Index of a name.
    pub fn find(&self, name: &str) -> Option<u32> {
        self.by_name.get(name).copied()
    }

    /// Members of a name so far: the number that its next member gets.
    pub fn members(&self, name: &str) -> u32 {
        let group = self.find(name).map(|index| self.get(index));
        group.map_or(0, |group| group.members)
    }

    /// Adds a member and returns the index of its group.
    pub fn add_member(&mut self, name: &str) -> u32 {
        let index = self.find(name).unwrap_or_else(|| {
            let index = self.list.len() as u32;
            self.by_name.insert(name.to_owned(), index);
            self.list.push(BodyGroup {
                name: name.to_owned(),
                members: 0,
            });
            index
        });
        self.list[index as usize].members += 1;
        index
    }

    pub fn get(&self, index: u32) -> &BodyGroup {
        &self.list[index as usize]
    }

    pub fn iter(&self) -> impl Iterator<Item = &BodyGroup> {
        self.list.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_counted_by_name() {
        let mut groups = Groups::default();
        let added = ["a", "b", "a", "c", "b", "a"].map(|name| groups.add_member(name));
        assert_eq!(added, [0, 1, 0, 2, 1, 0]);
        assert_eq!(
            ["a", "b", "c", "d"].map(|n| groups.members(n)),
            [3, 2, 1, 0]
        );
        assert_eq!(["c", "d"].map(|n| groups.find(n)), [Some(2), None]);
        let names: Vec<&str> = groups.iter().map(|g| g.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "c"]);
    }
}
