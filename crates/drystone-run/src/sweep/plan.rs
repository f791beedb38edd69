//! Which runs a sweep has.

use std::path::{Path, PathBuf};

use drystone_scene::{Scene, SceneError, SceneOptions, builtin_scenes};
use serde_json::{Value, json};

use super::{PLAN, SweepError, io_error};
use crate::atomic::write_atomically;
use crate::regular;

/// Most runs of a sweep: more were hardly meant, and their folders could not be listed.
const MOST_RUNS: usize = 100_000;

/// The scene of a sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SweepSource {
    /// File or name of a built-in scene.
    pub scene: String,
    /// Overrides that all runs share.
    pub set: Vec<(String, String)>,
    /// Whether the scene may read files outside its folder.
    pub allow_outside: bool,
}

/// A sweep: every combination of the values, each `repeats` times.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepPlan {
    source: SweepSource,
    /// Parameters, or paths of keys, with their values.
    parameters: Vec<(String, Vec<String>)>,
    repeats: usize,
    /// Simulated time to which all runs go, s; the scene's end if none.
    until: Option<f64>,
    runs: Vec<SweepRun>,
}

/// One run of a sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SweepRun {
    /// Its place in the plan, from 0.
    pub index: usize,
    /// The values of its parameters, in the order of the plan.
    pub values: Vec<String>,
    /// Which repetition, from 0.
    pub repeat: usize,
    /// Its seed, where the scene has something random.
    pub seed: Option<u64>,
    /// Everything that is set in the scene for it.
    pub set: Vec<(String, String)>,
    /// Name of its folder in the sweep's.
    pub folder: String,
}

impl SweepSource {
    /// Reads the scene with more overrides.
    pub fn read(&self, set: &[(String, String)]) -> Result<Scene, SceneError> {
        let options = SceneOptions {
            set: self.set.iter().chain(set).cloned().collect(),
            allow_outside: self.allow_outside,
            from: None,
        };
        let path = Path::new(&self.scene);
        let is_file = path.extension().is_some() || path.components().count() > 1;
        let is_built_in = builtin_scenes().iter().any(|(name, _)| *name == self.scene);
        match is_file || (!is_built_in && path.is_file()) {
            true => Scene::load(path, &options),
            false => Scene::builtin(&self.scene, &options),
        }
    }
}

/// Values between commas, but for commas in brackets and quotes: `1,[2,3],"a,b"` are three.
pub fn split_values(text: &str) -> Vec<String> {
    let (mut values, mut depth, mut quote) = (vec![String::new()], 0_i32, None);
    for letter in text.chars() {
        match (letter, quote) {
            ('"' | '\'', None) => quote = Some(letter),
            (letter, Some(open)) if letter == open => quote = None,
            ('[' | '{', None) => depth += 1,
            (']' | '}', None) => depth -= 1,
            (',', None) if depth == 0 => {
                values.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(value) = values.last_mut() {
            value.push(letter);
        }
    }
    values.into_iter().map(|v| v.trim().to_owned()).collect()
}

impl SweepPlan {
    /// The plan of every combination; the last parameter changes fastest, repetitions faster still.
    /// Every run's scene is read, so that a mistake shows before any work is done.
    pub fn new(
        source: SweepSource,
        parameters: Vec<(String, Vec<String>)>,
        repeats: usize,
        until: Option<f64>,
    ) -> Result<Self, SweepError> {
        if repeats == 0 {
            return Err(SweepError::Plan(
                "repeats: 0, expected at least 1".to_owned(),
            ));
        }
        for (name, values) in &parameters {
            if values.is_empty() || values.iter().any(String::is_empty) {
                let words = format!("{name}: expected one value or several, none of them empty");
                return Err(SweepError::Plan(words));
            }
        }
        let count = parameters
            .iter()
            .try_fold(repeats, |n, (_, values)| n.checked_mul(values.len()))
            .filter(|count| *count <= MOST_RUNS)
            .ok_or_else(|| SweepError::Plan(format!("more than {MOST_RUNS} runs")))?;
        let mut plan = Self {
            source,
            parameters,
            repeats,
            until,
            runs: Vec::with_capacity(count),
        };
        let seeds = plan.seed_keys()?;
        if seeds.is_empty() && repeats > 1 {
            let words = "repeats: the scene has nothing random: expected a parameter `seed` or a \
                         fill, else all repetitions are the same";
            return Err(SweepError::Plan(words.to_owned()));
        }
        for index in 0..count {
            let run = plan.run(index, &seeds);
            plan.source
                .read(&run.set)
                .map_err(|source| SweepError::Scene {
                    run: index + 1,
                    values: plan.words(&run),
                    source: source.into(),
                })?;
            plan.runs.push(run);
        }
        Ok(plan)
    }

    /// What a seed is written to: the parameter `seed`, or else the seeds of all fills, unless the
    /// sweep itself sets them.
    fn seed_keys(&self) -> Result<Vec<String>, SweepError> {
        let is_set = |key: &str| {
            let own = self.parameters.iter().any(|(name, _)| name == key);
            own || self.source.set.iter().any(|(name, _)| name == key)
        };
        let first = self
            .parameters
            .iter()
            .map(|(k, v)| (k.clone(), v[0].clone()));
        let first: Vec<_> = first.collect();
        let scene = self
            .source
            .read(&first)
            .map_err(|source| SweepError::Scene {
                run: 1,
                values: String::new(),
                source: source.into(),
            })?;
        if scene.has_parameter("seed") {
            let key = "seed".to_owned();
            return Ok(if is_set(&key) { Vec::new() } else { vec![key] });
        }
        let keys = scene.fill_places().map(|k| format!("fill[{k}].seed"));
        Ok(keys.filter(|key| !is_set(key)).collect())
    }

    fn run(&self, index: usize, seeds: &[String]) -> SweepRun {
        let (repeat, mut rest) = (index % self.repeats, index / self.repeats);
        let mut values = vec![String::new(); self.parameters.len()];
        for (value, (_, all)) in values.iter_mut().zip(&self.parameters).rev() {
            *value = all[rest % all.len()].clone();
            rest /= all.len();
        }
        let names = self.parameters.iter().map(|(name, _)| name.clone());
        let mut set: Vec<_> = names.zip(values.iter().cloned()).collect();
        let seed = index as u64 + 1;
        set.extend(seeds.iter().map(|key| (key.clone(), seed.to_string())));
        SweepRun {
            index,
            values,
            repeat,
            seed: (!seeds.is_empty()).then_some(seed),
            set,
            folder: format!("run-{:04}", index + 1),
        }
    }

    /// The scene.
    pub fn source(&self) -> &SweepSource {
        &self.source
    }

    /// Names of the parameters.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.parameters.iter().map(|(name, _)| name.as_str())
    }

    /// The runs.
    pub fn runs(&self) -> &[SweepRun] {
        &self.runs
    }

    /// Simulated time to which all runs go, s; the scene's end if none.
    pub fn until(&self) -> Option<f64> {
        self.until
    }

    /// The parameters of a run, for people.
    pub fn words(&self, run: &SweepRun) -> String {
        let pairs = self.names().zip(&run.values);
        let mut words: Vec<_> = pairs
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        if self.repeats > 1 {
            words.push(format!("repeat {}", run.repeat + 1));
        }
        words.join(", ")
    }

    /// Takes the folder: writes the plan, or sees that the one there is the same.
    pub fn take_folder(&self, out: &Path) -> Result<(), SweepError> {
        std::fs::create_dir_all(out).map_err(|e| io_error(out, e))?;
        let (file, plan) = (out.join(PLAN), self.json());
        let there = match regular::read_to_string(&file) {
            Ok(text) => serde_json::from_str(&text).unwrap_or(Value::Null),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                let text = format!("{plan:#}\n");
                return write_atomically(&file, text.as_bytes()).map_err(|e| io_error(&file, e));
            }
            Err(error) => return Err(io_error(&file, error)),
        };
        for what in ["scene", "set", "parameters", "repeats", "until"] {
            if there[what] != plan[what] {
                return Err(SweepError::Another {
                    path: out.to_owned(),
                    what,
                    found: there[what].to_string(),
                    expected: plan[what].to_string(),
                });
            }
        }
        Ok(())
    }

    fn json(&self) -> Value {
        let pairs = |list: &[(String, String)]| -> Vec<Value> {
            list.iter().map(|(k, v)| json!([k, v])).collect()
        };
        let parameters: Vec<_> = self.parameters.iter().map(|(k, v)| json!([k, v])).collect();
        json!({
            "scene": self.source.scene,
            "set": pairs(&self.source.set),
            "parameters": parameters,
            "repeats": self.repeats,
            "until": self.until,
            "runs": self.runs.len(),
        })
    }

    /// The folder of a run.
    pub fn folder(&self, out: &Path, run: &SweepRun) -> PathBuf {
        out.join(&run.folder)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source() -> SweepSource {
        SweepSource {
            scene: "pile".to_owned(),
            set: vec![("count".to_owned(), "10".to_owned())],
            allow_outside: false,
        }
    }

    fn texts(values: &[&str]) -> Vec<String> {
        values.iter().map(|v| (*v).to_owned()).collect()
    }

    #[test]
    fn values_are_split_at_commas_outside_of_brackets_and_quotes() {
        assert_eq!(split_values("1, 2 cm,3"), ["1", "2 cm", "3"]);
        let split = split_values("[0,0,-1],\"a,b\",{x=1,y=2}");
        assert_eq!(split, ["[0,0,-1]", "\"a,b\"", "{x=1,y=2}"]);
    }

    #[test]
    fn seeds_follow_from_the_place_in_the_plan() {
        let parameters = vec![
            ("radius".to_owned(), texts(&["2 cm", "3 cm"])),
            ("width".to_owned(), texts(&["0.6", "0.8", "1"])),
        ];
        let plan = SweepPlan::new(source(), parameters, 2, None).unwrap();
        assert_eq!(plan.runs().len(), 12);
        let seventh = &plan.runs()[7];
        assert_eq!(seventh.values, ["3 cm", "0.6"]);
        assert_eq!((seventh.repeat, seventh.seed), (1, Some(8)));
        assert_eq!(seventh.set[2], ("fill[0].seed".to_owned(), "8".to_owned()));
        assert_eq!(plan.words(seventh), "radius=3 cm, width=0.6, repeat 2");
    }

    #[test]
    fn mistakes_show_before_any_run() {
        let bad = vec![("radius".to_owned(), texts(&["2 cm", "-1"]))];
        let error = SweepPlan::new(source(), bad, 1, None)
            .unwrap_err()
            .to_string();
        assert!(error.starts_with("run 2 (radius=-1): "), "{error}");
        let still = SweepSource {
            scene: "stack".to_owned(),
            set: Vec::new(),
            allow_outside: false,
        };
        let error = SweepPlan::new(still, Vec::new(), 3, None)
            .unwrap_err()
            .to_string();
        assert!(error.contains("nothing random"), "{error}");
        assert!(SweepPlan::new(source(), Vec::new(), 0, None).is_err());
    }

    #[test]
    fn a_folder_takes_one_sweep_only() {
        let folder = tempfile::tempdir().unwrap();
        let plan = SweepPlan::new(source(), Vec::new(), 2, None).unwrap();
        plan.take_folder(folder.path()).unwrap();
        plan.take_folder(folder.path()).unwrap();
        let other = SweepPlan::new(source(), Vec::new(), 3, None).unwrap();
        let error = other.take_folder(folder.path()).unwrap_err().to_string();
        assert!(error.contains("with repeats 2 and not 3"), "{error}");
    }
}
