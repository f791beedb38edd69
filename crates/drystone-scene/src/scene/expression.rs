//! Numbers written as expressions: `2*radius + 1 mm`.
//!
//! A tokeniser and a Pratt parser. A number followed by the name of a unit is multiplied by it, before all other
//! operators: `1/2 mm` is `1/(2 mm)`. Every value carries what is known of its [`Dimension`]: lengths do not add to masses.
//! Plain numbers adapt to what they meet, so that `radius + 1 mm` means what it says where `radius = 0.05`.

mod function;
#[cfg(test)]
mod tests;
mod token;

use std::collections::BTreeMap;

use self::function::Function;
use self::token::{Token, tokens};
use super::suggest::nearest;
use super::units::{Dimension, UNITS, unit};

/// What is known of a value's dimension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// Made of plain numbers only.
    Plain,
    /// Made with parameters or variables that have no unit: it may be anything.
    Free,
    /// Made of units.
    Known(Dimension),
}

/// A number and what it measures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Value {
    pub number: f64,
    pub kind: Kind,
}

/// What the names in an expression stand for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    /// The scene's parameters.
    pub parameters: BTreeMap<String, Value>,
    /// Names whose values come with each evaluation.
    pub variables: Vec<&'static str>,
}

/// What is wrong with an expression.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ExpressionError {
    /// Byte in the expression.
    pub at: usize,
    pub reason: String,
    pub suggestion: Option<String>,
}

impl ExpressionError {
    fn new(at: usize, reason: impl Into<String>) -> Self {
        Self {
            at,
            reason: reason.into(),
            suggestion: None,
        }
    }
}

/// An expression ready to be evaluated.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Expression {
    node: Node,
    pub kind: Kind,
}

#[derive(Clone, Debug, PartialEq)]
enum Node {
    Number(f64),
    Variable(usize),
    Negative(Box<Node>),
    Binary(char, Box<Node>, Box<Node>),
    Call(Function, Vec<Node>),
}

/// Longest expression, bytes: bounds the depth of the tree.
const LONGEST: usize = 2000;
/// Deepest nesting of parentheses, signs and powers.
const DEEPEST: usize = 60;

impl Expression {
    pub fn parse(text: &str, scope: &Scope) -> Result<Self, ExpressionError> {
        if text.len() > LONGEST {
            let reason = format!("longer than {LONGEST} bytes");
            return Err(ExpressionError::new(LONGEST, reason));
        }
        let mut parser = Parser {
            tokens: &tokens(text)?,
            next: 0,
            end: text.len(),
            depth: 0,
            scope,
        };
        let (node, kind) = parser.expression(0)?;
        match parser.peek() {
            None => Ok(Self { node, kind }),
            Some(_) => Err(parser.unexpected("an operator or the end")),
        }
    }

    /// Its value, with one value for each of the scope's variables.
    pub fn evaluate(&self, variables: &[f64]) -> f64 {
        self.node.evaluate(variables)
    }

    /// A number that is always the same.
    pub fn constant(number: f64, kind: Kind) -> Self {
        Self {
            node: Node::Number(number),
            kind,
        }
    }

    /// The same, multiplied.
    pub fn scaled(self, factor: f64) -> Self {
        if factor == 1.0 {
            return self;
        }
        let factor = Box::new(Node::Number(factor));
        Self {
            node: Node::Binary('*', Box::new(self.node), factor),
            kind: self.kind,
        }
    }
}

impl Node {
    fn evaluate(&self, variables: &[f64]) -> f64 {
        match self {
            Self::Number(value) => *value,
            Self::Variable(index) => variables.get(*index).copied().unwrap_or(f64::NAN),
            Self::Negative(inner) => -inner.evaluate(variables),
            Self::Binary(sign, a, b) => {
                let (a, b) = (a.evaluate(variables), b.evaluate(variables));
                match sign {
                    '+' => a + b,
                    '-' => a - b,
                    '*' => a * b,
                    '/' => a / b,
                    _ => power(a, b),
                }
            }
            Self::Call(function, arguments) => {
                let values: Vec<_> = arguments.iter().map(|a| a.evaluate(variables)).collect();
                function.apply(&values)
            }
        }
    }

    fn varies(&self) -> bool {
        match self {
            Self::Number(_) => false,
            Self::Variable(_) => true,
            Self::Negative(inner) => inner.varies(),
            Self::Binary(_, a, b) => a.varies() || b.varies(),
            Self::Call(_, arguments) => arguments.iter().any(Node::varies),
        }
    }
}

/// Whole powers by multiplication: exact where products are.
fn power(base: f64, exponent: f64) -> f64 {
    if exponent.fract() == 0.0 && exponent.abs() <= 64.0 {
        base.powi(exponent as i32)
    } else {
        base.powf(exponent)
    }
}

type Part = Result<(Node, Kind), ExpressionError>;

struct Parser<'a> {
    tokens: &'a [(usize, Token)],
    next: usize,
    /// Length of the text.
    end: usize,
    depth: usize,
    scope: &'a Scope,
}

/// How tightly `+ -` and `* /` bind; `^` and units bind tighter still.
const SUM: u8 = 1;
const PRODUCT: u8 = 2;
const SIGN: u8 = 3;
const POWER: u8 = 4;

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next).map(|(_, token)| token)
    }

    fn at(&self) -> usize {
        self.tokens.get(self.next).map_or(self.end, |(at, _)| *at)
    }

    fn unexpected(&self, expected: &str) -> ExpressionError {
        let found = match self.peek() {
            None => "the end".to_owned(),
            Some(Token::Number(value)) => format!("the number {value}"),
            Some(Token::Name(name)) => format!("`{name}`"),
            Some(Token::Sign(sign)) => format!("`{sign}`"),
        };
        ExpressionError::new(self.at(), format!("found {found}, expected {expected}"))
    }

    fn take(&mut self, sign: char) -> bool {
        let found = self.peek() == Some(&Token::Sign(sign));
        self.next += usize::from(found);
        found
    }

    /// An expression of operators that bind at least as tightly as `least`.
    fn expression(&mut self, least: u8) -> Part {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(ExpressionError::new(self.at(), "nested too deeply"));
        }
        let mut left = self.operand()?;
        while let Some(Token::Sign(sign)) = self.peek() {
            let (sign, at) = (*sign, self.at());
            let strength = match sign {
                '+' | '-' => SUM,
                '*' | '/' => PRODUCT,
                '^' => POWER,
                _ => break,
            };
            if strength < least {
                break;
            }
            self.next += 1;
            // Powers group to the right: 2^3^2 is 2^9.
            let right = self.expression(if sign == '^' { SIGN } else { strength + 1 })?;
            left = combine(sign, left, right, at)?;
        }
        self.depth -= 1;
        Ok(left)
    }

    /// A number, name, call, parenthesis or sign, with the units that follow.
    fn operand(&mut self) -> Part {
        let at = self.at();
        let Some(token) = self.peek().cloned() else {
            return Err(self.unexpected("a number, a name or `(`"));
        };
        match token {
            Token::Number(value) => {
                self.next += 1;
                self.units((Node::Number(value), Kind::Plain))
            }
            Token::Sign('(') => {
                self.next += 1;
                let inner = self.expression(0)?;
                if !self.take(')') {
                    return Err(self.unexpected("an operator or `)`"));
                }
                self.units(inner)
            }
            Token::Sign('-') => {
                self.next += 1;
                let (node, kind) = self.expression(SIGN)?;
                Ok((Node::Negative(Box::new(node)), kind))
            }
            Token::Sign('+') => {
                self.next += 1;
                self.expression(SIGN)
            }
            Token::Sign(_) => Err(self.unexpected("a number, a name or `(`")),
            Token::Name(name) => {
                self.next += 1;
                if self.take('(') {
                    return self.call(&name, at);
                }
                self.name(&name, at)
            }
        }
    }

    /// Multiplies by the units that stand right behind: `3 N m`, `2 mm^2`.
    fn units(&mut self, mut value: (Node, Kind)) -> Part {
        while let Some(Token::Name(name)) = self.peek().cloned() {
            let at = self.at();
            let Some((_, factor, dimension, _)) = unit(&name) else {
                let mut error = ExpressionError::new(at, format!("`{name}` is not a unit"));
                error.suggestion = nearest(&name, UNITS.iter().map(|u| u.0));
                if self.scope.parameters.contains_key(&name) {
                    error.reason = format!("an operator is missing before `{name}`");
                    error.suggestion = None;
                }
                return Err(error);
            };
            self.next += 1;
            let mut measure = (Node::Number(*factor), Kind::Known(*dimension));
            let power_at = self.at();
            if self.take('^') {
                let exponent = self.expression(SIGN)?;
                measure = combine('^', measure, exponent, power_at)?;
            }
            value = combine('*', value, measure, at)?;
        }
        Ok(value)
    }

    /// A variable, parameter, constant or unit.
    fn name(&self, name: &str, at: usize) -> Part {
        if let Some(index) = self.scope.variables.iter().position(|v| *v == name) {
            return Ok((Node::Variable(index), Kind::Free));
        }
        if let Some(value) = self.scope.parameters.get(name) {
            return Ok((Node::Number(value.number), value.kind));
        }
        if name == "pi" {
            return Ok((Node::Number(std::f64::consts::PI), Kind::Plain));
        }
        if let Some((_, factor, dimension, _)) = unit(name) {
            return Ok((Node::Number(*factor), Kind::Known(*dimension)));
        }
        let known = self.scope.parameters.keys().map(String::as_str);
        let known = known.chain(self.scope.variables.iter().copied());
        let functions = Function::ALL.iter().map(|f| f.name());
        let mut error = ExpressionError::new(at, format!("no parameter is called `{name}`"));
        error.suggestion = nearest(name, known.chain(functions).chain(["pi"]));
        Err(error)
    }

    fn call(&mut self, name: &str, at: usize) -> Part {
        let Some(function) = Function::ALL.iter().find(|f| f.name() == name) else {
            let mut error = ExpressionError::new(at, format!("no function is called `{name}`"));
            error.suggestion = nearest(name, Function::ALL.iter().map(|f| f.name()));
            return Err(error);
        };
        let (mut nodes, mut kinds) = (Vec::new(), Vec::new());
        loop {
            let (node, kind) = self.expression(0)?;
            nodes.push(node);
            kinds.push(kind);
            if !self.take(',') {
                break;
            }
        }
        if !self.take(')') {
            return Err(self.unexpected("`,` or `)`"));
        }
        let kind = function
            .kind(&kinds)
            .map_err(|reason| ExpressionError::new(at, reason))?;
        Ok((Node::Call(*function, nodes), kind))
    }
}

fn combine(sign: char, left: (Node, Kind), right: (Node, Kind), at: usize) -> Part {
    let kind = match sign {
        '+' | '-' => same(left.1, right.1),
        '*' => product(left.1, right.1, 1),
        '/' => product(left.1, right.1, -1),
        _ => power_kind(left.1, &right),
    };
    let kind = kind.map_err(|reason| ExpressionError::new(at, reason))?;
    let node = Node::Binary(sign, Box::new(left.0), Box::new(right.0));
    Ok((node, kind))
}

/// Of two values that are added or compared.
fn same(a: Kind, b: Kind) -> Result<Kind, String> {
    match (a, b) {
        (Kind::Known(a), Kind::Known(b)) if a != b => {
            Err(format!("{a} and {b} cannot be added or compared"))
        }
        (Kind::Known(known), _) | (_, Kind::Known(known)) => Ok(Kind::Known(known)),
        (Kind::Free, _) | (_, Kind::Free) => Ok(Kind::Free),
        (Kind::Plain, Kind::Plain) => Ok(Kind::Plain),
    }
}

fn product(a: Kind, b: Kind, sign: i8) -> Result<Kind, String> {
    Ok(match (a, b) {
        (Kind::Free, _) | (_, Kind::Free) => Kind::Free,
        (Kind::Known(a), Kind::Known(b)) => known(a.times(b, sign)),
        (Kind::Plain, Kind::Known(b)) => known(Dimension::NONE.times(b, sign)),
        (Kind::Known(_), Kind::Plain) => a,
        (Kind::Plain, Kind::Plain) => Kind::Plain,
    })
}

fn power_kind(base: Kind, exponent: &(Node, Kind)) -> Result<Kind, String> {
    if let Kind::Known(dimension) = exponent.1 {
        return Err(format!("the exponent is {dimension}"));
    }
    let Kind::Known(dimension) = base else {
        return Ok(if exponent.1 == Kind::Free {
            Kind::Free
        } else {
            base
        });
    };
    if exponent.0.varies() {
        return Ok(Kind::Free);
    }
    let exponent = exponent.0.evaluate(&[]);
    Ok(if exponent.fract() == 0.0 && exponent.abs() <= 12.0 {
        known(dimension.power(exponent as i8))
    } else {
        Kind::Free
    })
}

/// Units that cancel leave a plain number; exponents beyond any use leave anything.
fn known(dimension: Option<Dimension>) -> Kind {
    match dimension {
        Some(Dimension::NONE) => Kind::Plain,
        Some(dimension) => Kind::Known(dimension),
        None => Kind::Free,
    }
}
