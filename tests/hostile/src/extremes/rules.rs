//! The scenes, by rule.

/// A scene with its name.
pub struct Extreme {
    /// What is extreme about it.
    pub name: String,
    /// Its text.
    pub scene: String,
}

/// A scene of a box on the floor, with one thing changed. Fields are TOML.
#[derive(Clone)]
struct Box {
    settings: &'static str,
    time_step: String,
    gravity: String,
    friction: String,
    size: String,
    height: String,
    body: String,
    rest: String,
}

impl Default for Box {
    fn default() -> Self {
        let own = |text: &str| text.to_owned();
        Self {
            settings: "",
            time_step: own("0.005"),
            gravity: own("[0, 0, -9.81]"),
            friction: own("0.5"),
            size: own("0.1"),
            height: own("0.05"),
            body: own("mass = 1"),
            rest: String::new(),
        }
    }
}

impl Box {
    fn text(&self) -> String {
        let Self {
            settings,
            time_step,
            gravity,
            friction,
            size,
            height,
            body,
            rest,
        } = self;
        format!(
            r#"[settings]
duration = 1e300
time_step = {time_step}
gravity = {gravity}
{settings}

[[material]]
name = "default"
friction = {friction}

[[body]]
name = "floor"
shape = {{ type = "plane" }}

[[body]]
name = "box"
shape = {{ type = "box", size = [{size}, {size}, {size}] }}
position = [0, 0, {height}]
{body}

{rest}
"#
        )
    }
}

/// Collects scenes.
#[derive(Default)]
struct List(Vec<Extreme>);

impl List {
    fn add(&mut self, name: impl Into<String>, scene: String) {
        let name = name.into();
        self.0.push(Extreme { name, scene });
    }

    /// A box with one thing changed.
    fn with(&mut self, name: impl Into<String>, change: impl FnOnce(&mut Box)) {
        let mut scene = Box::default();
        change(&mut scene);
        self.add(name, scene.text());
    }
}

/// All of them.
pub fn scenes() -> Vec<Extreme> {
    let mut list = List::default();
    figures(&mut list);
    stacks(&mut list);
    motions(&mut list);
    shapes(&mut list);
    joints(&mut list);
    crowds(&mut list);
    settings(&mut list);
    list.0
}

/// One figure of a box on the floor.
fn figures(list: &mut List) {
    for mass in [
        "1e-300", "1e-30", "1e-12", "1e-6", "1e6", "1e12", "1e30", "1e300",
    ] {
        list.with(format!("mass-{mass}"), |b| {
            b.body = format!("mass = {mass}")
        });
    }
    for density in ["1e-12", "1e12", "1e300"] {
        list.with(format!("density-{density}"), |b| {
            b.body = format!("density = {density}")
        });
    }
    for size in [
        1e-300, 1e-100, 1e-9, 1e-6, 1e3, 1e6, 1e9, 1e15, 1e100, 1e200,
    ] {
        list.with(format!("size-{size:e}"), |b| {
            b.size = format!("{size:e}");
            b.height = format!("{:e}", 0.5 * size);
        });
    }
    list.with("size-0", |b| b.size = "0".to_owned());
    list.with("size-negative", |b| b.size = "-1".to_owned());
    list.with("size-subnormal", |b| b.size = "5e-324".to_owned());
    for friction in [
        "0", "1e-300", "1e3", "1e8", "1e15", "1e30", "1e155", "1e300",
    ] {
        list.with(format!("friction-{friction}"), |b| {
            b.friction = friction.to_owned();
            b.body += "\nvelocity = [1, 0, 0]";
        });
        list.with(format!("friction-exact-{friction}"), |b| {
            b.friction = friction.to_owned();
            b.settings = "law = \"exact\"";
            b.body += "\nvelocity = [1, 0, 0]";
        });
    }
    for gravity in [
        "0", "-1e-300", "-1e3", "-1e9", "-1e20", "-1e100", "-1e160", "-1e300", "1e300",
    ] {
        list.with(format!("gravity-{gravity}"), |b| {
            b.gravity = format!("[0, 0, {gravity}]")
        });
    }
    list.with("gravity-sideways", |b| {
        b.gravity = "[1e12, 1e12, 0]".to_owned()
    });
    for step in [
        "1e-300", "1e-12", "1e-6", "1", "1e3", "1e12", "1e150", "1e300", "0", "-1",
    ] {
        list.with(format!("time-step-{step}"), |b| {
            b.time_step = step.to_owned()
        });
    }
    for height in ["0", "-0.05", "0.0499", "1e6", "1e15", "1e300", "-1e300"] {
        list.with(format!("height-{height}"), |b| b.height = height.to_owned());
    }
    for inertia in [
        "[1e-12, 1e-12, 1e-12]",
        "[1e12, 1e12, 1e12]",
        "[1, 1, 100]",
        "[0, 0, 0]",
    ] {
        list.with(format!("inertia-{inertia}"), |b| {
            b.body += &format!("\ninertia = {inertia}")
        });
    }
}

/// Heavy on light, many on one.
fn stacks(list: &mut List) {
    for exponent in [3, 6, 9, 12, 15, 30, 150] {
        let ratio = format!("1e{exponent}");
        let top = format!(
            "[[body]]\nname = \"top\"\nshape = {{ type = \"box\", size = [0.1, 0.1, 0.1] }}\n\
             position = [0, 0, 0.15]\nmass = {ratio}"
        );
        list.with(format!("heavy-on-light-{ratio}"), |b| b.rest = top.clone());
        list.with(format!("heavy-on-light-exact-{ratio}"), |b| {
            b.rest = top.clone();
            b.settings = "law = \"exact\"";
        });
        list.with(format!("light-on-heavy-{ratio}"), |b| {
            b.body = format!("mass = {ratio}");
            b.rest = top.replace(&format!("mass = {ratio}"), "mass = 1");
        });
    }
}

/// Speeds, spins, loads, driven bodies.
fn motions(list: &mut List) {
    for speed in ["1e3", "1e9", "1e20", "1e150", "1e300"] {
        list.with(format!("falls-at-{speed}"), |b| {
            b.height = "1".to_owned();
            b.body += &format!("\nvelocity = [0, 0, -{speed}]");
        });
        list.with(format!("flies-at-{speed}"), |b| {
            b.height = "1".to_owned();
            b.body += &format!("\nvelocity = [{speed}, 0, 0]");
        });
        list.with(format!("spins-at-{speed}"), |b| {
            b.height = "1".to_owned();
            b.body += &format!("\nangular_velocity = [{speed}, 1, 0]");
        });
        list.with(format!("load-{speed}"), |b| {
            b.body += &format!("\nload = {{ force = [{speed}, 0, 0], torque = [0, {speed}, 0] }}");
        });
        list.with(format!("driven-at-{speed}"), |b| {
            b.rest = format!(
                "[[body]]\nname = \"ram\"\nshape = {{ type = \"sphere\", radius = 0.1 }}\n\
                 position = [-1, 0, 0.1]\nmotion = {{ type = \"velocity\", velocity = [{speed}, 0, 0] }}"
            );
        });
    }
    for rate in ["1e9", "1e300"] {
        list.with(format!("turns-at-{rate}"), |b| {
            b.rest = format!(
                "[[body]]\nname = \"wheel\"\nshape = {{ type = \"cylinder\", radius = 0.1, height = 0.1 }}\n\
                 position = [0, 0, 0.1]\nmotion = {{ type = \"rotation\", rate = {rate} }}"
            );
        });
    }
}

/// Shapes without an inside, thin ones, slim ones.
fn shapes(list: &mut List) {
    let on_floor = |shape: &str| {
        let rest =
            format!("[[body]]\nname = \"it\"\nshape = {{ {shape} }}\nposition = [1, 0, 0.2]");
        let scene = Box {
            rest,
            ..Box::default()
        };
        scene.text()
    };
    for shape in [
        "type = \"sphere\", radius = 0",
        "type = \"sphere\", radius = 1e-200",
        "type = \"sphere\", radius = 1e12",
        "type = \"box\", size = [1e-12, 1, 1]",
        "type = \"box\", size = [1e-6, 1e6, 1]",
        "type = \"cylinder\", radius = 1e-9, height = 1e9",
        "type = \"capsule\", radius = 1e-9, height = 0",
        "type = \"cone\", radius = 1e9, height = 1e-9",
        "type = \"ellipsoid\", semi_axes = [1e-9, 1, 1e9]",
        "type = \"hull\", points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]",
        "type = \"hull\", points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1e-15]]",
        "type = \"hull\", points = [[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0]]",
        "type = \"hull\", points = [[1e300, 0, 0], [0, 1e300, 0], [0, 0, 1e300], [0, 0, 0]]",
        "type = \"compound\", parts = []",
    ] {
        list.add(
            format!("shape-{}", shape.replace(['"', ',', '='], "")),
            on_floor(shape),
        );
    }
    for field in ["1e300*x", "0*x/0", "1e-300*x", "step(x)*1e6"] {
        let ground = format!(
            "[[body]]\nname = \"hills\"\nshape = {{ type = \"height_field\", size = [2, 2], height = \"{field}\" }}"
        );
        list.with(format!("hills-{}", field.replace(['*', '/'], "_")), |b| {
            b.rest = ground
        });
    }
}

/// Joints that hold nothing, everything, or what cannot be held.
fn joints(list: &mut List) {
    let second = "[[body]]\nname = \"b\"\nshape = { type = \"sphere\", radius = 0.1 }\nposition = [0.5, 0, 1]\n\n";
    for (name, joint) in [
        (
            "same-body",
            "type = \"fixed\"\nbodies = [\"box\", \"box\"]\nat = [0, 0, 0]",
        ),
        (
            "world-world",
            "type = \"fixed\"\nbodies = [\"world\", \"world\"]\nat = [0, 0, 0]",
        ),
        (
            "far",
            "type = \"spherical\"\nbodies = [\"box\", \"b\"]\nat = [1e12, 0, 0]",
        ),
        (
            "no-axis",
            "type = \"revolute\"\nbodies = [\"box\", \"b\"]\nat = [0, 0, 0]\naxis = [0, 0, 0]",
        ),
        (
            "tiny-axis",
            "type = \"revolute\"\nbodies = [\"box\", \"b\"]\nat = [0, 0, 0]\naxis = [1e-300, 0, 0]",
        ),
        (
            "zero-distance",
            "type = \"distance\"\nbodies = [\"box\", \"b\"]\nfrom = [0, 0, 0]\nto = [0, 0, 0]",
        ),
        (
            "strong",
            "type = \"revolute\"\nbodies = [\"world\", \"b\"]\nat = [0, 0, 1]\naxis = [0, 1, 0]\nmotor = { type = \"torque\", value = 1e300 }",
        ),
        (
            "fast",
            "type = \"revolute\"\nbodies = [\"world\", \"b\"]\nat = [0, 0, 1]\naxis = [0, 1, 0]\nmotor = { type = \"speed\", value = 1e12 }",
        ),
        (
            "nan-motor",
            "type = \"revolute\"\nbodies = [\"world\", \"b\"]\nat = [0, 0, 1]\naxis = [0, 1, 0]\nmotor = { type = \"torque\", value = \"sqrt(-1 - t)\" }",
        ),
        (
            "stiff",
            "type = \"prismatic\"\nbodies = [\"world\", \"b\"]\nat = [0, 0, 1]\naxis = [0, 0, 1]\nspring = { stiffness = 1e300, damping = 1e300 }",
        ),
        (
            "soft",
            "type = \"prismatic\"\nbodies = [\"world\", \"b\"]\nat = [0, 0, 1]\naxis = [0, 0, 1]\nspring = { stiffness = 1e-300, damping = 0 }",
        ),
        (
            "limits-crossed",
            "type = \"prismatic\"\nbodies = [\"world\", \"b\"]\nat = [0, 0, 1]\naxis = [0, 0, 1]\nlimits = [1, -1]",
        ),
        (
            "limits-far",
            "type = \"prismatic\"\nbodies = [\"world\", \"b\"]\nat = [0, 0, 1]\naxis = [0, 0, 1]\nlimits = [-1e300, 1e300]",
        ),
        (
            "limits-broken",
            "type = \"prismatic\"\nbodies = [\"world\", \"b\"]\nat = [0, 0, 1]\naxis = [0, 0, 1]\nlimits = [10, 11]",
        ),
    ] {
        list.with(format!("joint-{name}"), |b| {
            b.rest = format!("{second}[[joint]]\n{joint}")
        });
    }
    // The same joint ten times: rows that depend on each other.
    let joint = "[[joint]]\ntype = \"fixed\"\nbodies = [\"world\", \"b\"]\nat = [0, 0, 1]\n";
    list.with("joint-ten-times", |b| {
        b.rest = format!("{second}{}", joint.repeat(10))
    });
}

/// Many bodies in one place, fills that do not fit, nothing at all.
fn crowds(list: &mut List) {
    list.add("empty", "[settings]\nduration = 0.1\n".to_owned());
    list.add("nothing", String::new());
    list.add(
        "no-end",
        "[[body]]\nshape = { type = \"plane\" }\n".to_owned(),
    );
    for count in [2, 30, 200] {
        let crowd = format!(
            "[[body]]\nname = \"crowd\"\nshape = {{ type = \"box\", size = [0.1, 0.1, 0.1] }}\n\
             position = [0, 0, 1]\nrepeat = {{ count = [{count}, 1, 1], spacing = [0, 0, 0] }}"
        );
        list.with(format!("coincident-{count}"), |b| b.rest = crowd.clone());
        let spheres = crowd.replace(
            "type = \"box\", size = [0.1, 0.1, 0.1]",
            "type = \"sphere\", radius = 0.1",
        );
        list.with(format!("coincident-spheres-{count}"), |b| b.rest = spheres);
    }
    list.with("far-apart", |b| {
        b.rest = "[[body]]\nname = \"far\"\nshape = { type = \"sphere\", radius = 0.1 }\nposition = [1e15, 0, 1]\n\
                  [[body]]\nname = \"farther\"\nshape = { type = \"sphere\", radius = 0.1 }\nposition = [-1e300, 0, 1]"
            .to_owned();
    });
    let fill = |count: &str, radius: &str, low: &str, high: &str, how: &str| {
        format!(
            "[[fill]]\nname = \"grains\"\nshape = {{ type = \"sphere\", radius = {radius} }}\ncount = {count}\n\
             region = {{ type = \"box\", min = [-{high}, -{high}, {low}], max = [{high}, {high}, {high}] }}\narrangement = \"{how}\""
        )
    };
    for (name, count, radius, low, high) in [
        ("none", "0", "0.01", "0", "1"),
        ("too-large", "5", "10", "0", "1"),
        ("too-many", "100000", "0.1", "0", "0.5"),
        ("tiny-region", "5", "0.01", "0", "1e-160"),
        ("tiny-grains", "5", "1e-160", "0", "1"),
        ("huge", "5", "1e12", "0", "1e14"),
        ("inside-out", "5", "0.1", "1", "-1"),
    ] {
        for how in ["rain", "random"] {
            let scene = fill(count, radius, low, high, how);
            list.with(format!("fill-{name}-{how}"), |b| b.rest = scene);
        }
    }
    for top in ["1e-160", "0", "1e150"] {
        list.with(format!("funnel-{top}"), |b| {
            b.rest = format!(
                "[[container]]\nname = \"funnel\"\nshape = {{ type = \"funnel\", bottom = 1e-170, top = {top}, height = 1 }}\n\n\
                 [[fill]]\nname = \"grains\"\nshape = {{ type = \"sphere\", radius = 0.01 }}\ncount = 3\ncontainer = \"funnel\"\narrangement = \"rain\""
            );
        });
    }
}

/// Settings of the engine.
fn settings(list: &mut List) {
    for (name, settings) in [
        ("tolerance-0", "tolerance = 0"),
        ("tolerance-tiny", "tolerance = 1e-300"),
        ("tolerance-huge", "tolerance = 1e300"),
        ("no-iterations", "max_iterations = 0"),
        ("one-iteration", "max_iterations = 1"),
        ("compliance-0", "compliance = 0"),
        ("compliance-huge", "compliance = 1e300"),
        ("envelope-0", "envelope = 0"),
        ("envelope-huge", "envelope = 1e12"),
        ("recovery-huge", "recovery_speed = 1e300"),
        ("recovery-0", "recovery_speed = 0"),
        ("periodic-small", "periodic = { x = [-0.01, 0.01] }"),
        ("periodic-equal", "periodic = { x = [1, 1] }"),
        (
            "periodic-tiny",
            "periodic = { x = [-1e-300, 1e-300], y = [-1, 1] }",
        ),
        (
            "periodic-huge",
            "periodic = { x = [-1e300, 1e300], y = [-1e300, 1e300] }",
        ),
        (
            "periodic-all",
            "periodic = { x = [-1, 1], y = [-1, 1], z = [-1, 1] }",
        ),
        ("sleep-at-once", "sleeping = { speed = 1e300, after = 0 }"),
        ("jacobi", "method = \"jacobi\""),
        ("newton-exact", "method = \"newton\"\nlaw = \"exact\""),
        (
            "interior-point",
            "method = \"interior-point\"\ntolerance = 1e-12",
        ),
    ] {
        list.with(format!("settings-{name}"), |b| b.settings = settings);
    }
    for (key, value) in [
        ("cohesion", "1e300"),
        ("rolling_friction", "1e300"),
        ("spinning_friction", "1e-300"),
        ("compliance", "1e300"),
        ("restitution", "1"),
        ("cohesion_range", "1e12"),
    ] {
        list.with(format!("material-{key}-{value}"), |b| {
            b.friction = format!("0.5\n{key} = {value}");
        });
    }
}
