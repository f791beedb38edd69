//! Numbers written as expressions: `2*radius + 1 mm`.
//!
//! A tokeniser and a Pratt parser. A number followed by the name of a unit is multiplied by it,
//! before all other operators: `1/2 mm` is `1/(2 mm)`. Every value carries what is known of its
//! dimension ([`Measure`]): a length cannot be added to a mass. Plain numbers adapt to what they
//! meet, so that `radius + 1 mm` means what it says where `radius = 0.05`.

mod function;
mod measure;
#[cfg(test)]
mod tests;
mod token;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use self::function::Function;
pub(crate) use self::measure::Measure;
use self::measure::{power, product, same};
use self::token::{Token, tokens};
use super::suggest::nearest;
use super::units::{UNITS, unit};
use crate::named::Named;

/// A number and what it measures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Measured {
    pub number: f64,
    pub measure: Measure,
}

/// What the names in an expression stand for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    /// The scene's parameters.
    pub parameters: BTreeMap<String, Measured>,
    /// Names whose values come with each evaluation.
    pub variables: Vec<&'static str>,
    /// Parameters that some expression has used.
    pub used: RefCell<BTreeSet<String>>,
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
    pub measure: Measure,
}

#[derive(Clone, Debug, PartialEq)]
enum Node {
    Number(f64),
    Variable(usize),
    Negative(Box<Node>),
    Binary(Operator, Box<Node>, Box<Node>),
    Call(Function, Vec<Node>),
}

/// An operator between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
}

impl Operator {
    /// The operator that a sign stands for; `None` for parentheses and commas.
    fn of_sign(sign: char) -> Option<Self> {
        match sign {
            '+' => Some(Self::Add),
            '-' => Some(Self::Subtract),
            '*' => Some(Self::Multiply),
            '/' => Some(Self::Divide),
            '^' => Some(Self::Power),
            _ => None,
        }
    }

    fn strength(self) -> u8 {
        match self {
            Self::Add | Self::Subtract => SUM,
            Self::Multiply | Self::Divide => PRODUCT,
            Self::Power => POWER,
        }
    }
}

/// Longest expression, bytes. A sum of n terms is a tree n deep, and evaluating it recurses that
/// deep: 2000 bytes keep the stack small and are more than anybody writes by hand.
const LONGEST: usize = 2000;
/// Deepest nesting of parentheses, signs and powers: the parser recurses that deep.
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
        let (node, measure) = parser.expression(0)?;
        match parser.peek() {
            None => Ok(Self { node, measure }),
            Some(_) => Err(parser.unexpected("an operator or the end")),
        }
    }

    /// Its value, with one value for each of the scope's variables.
    pub fn evaluate(&self, variables: &[f64]) -> f64 {
        self.node.evaluate(variables)
    }

    /// How many numbers, names and operations it is made of.
    pub fn size(&self) -> usize {
        self.node.size()
    }

    /// A number that is always the same.
    pub fn constant(number: f64, measure: Measure) -> Self {
        Self {
            node: Node::Number(number),
            measure,
        }
    }

    /// The same, multiplied.
    pub fn scaled(self, factor: f64) -> Self {
        if factor == 1.0 {
            return self;
        }
        let factor = Box::new(Node::Number(factor));
        Self {
            node: Node::Binary(Operator::Multiply, Box::new(self.node), factor),
            measure: self.measure,
        }
    }
}

impl Node {
    fn evaluate(&self, variables: &[f64]) -> f64 {
        match self {
            Self::Number(value) => *value,
            Self::Variable(index) => variables.get(*index).copied().unwrap_or(f64::NAN),
            Self::Negative(inner) => -inner.evaluate(variables),
            Self::Binary(operator, a, b) => {
                let (a, b) = (a.evaluate(variables), b.evaluate(variables));
                match operator {
                    Operator::Add => a + b,
                    Operator::Subtract => a - b,
                    Operator::Multiply => a * b,
                    Operator::Divide => a / b,
                    Operator::Power => raise(a, b),
                }
            }
            Self::Call(function, arguments) => {
                let values: Vec<_> = arguments.iter().map(|a| a.evaluate(variables)).collect();
                function.apply(&values)
            }
        }
    }

    fn size(&self) -> usize {
        match self {
            Self::Number(_) | Self::Variable(_) => 1,
            Self::Negative(inner) => 1 + inner.size(),
            Self::Binary(_, a, b) => 1 + a.size() + b.size(),
            Self::Call(_, arguments) => 1 + arguments.iter().map(Node::size).sum::<usize>(),
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
fn raise(base: f64, exponent: f64) -> f64 {
    if exponent.fract() == 0.0 && exponent.abs() <= 64.0 {
        base.powi(exponent as i32)
    } else {
        base.powf(exponent)
    }
}

type ParsedNode = Result<(Node, Measure), ExpressionError>;

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
    fn expression(&mut self, least: u8) -> ParsedNode {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(ExpressionError::new(self.at(), "nested too deeply"));
        }
        let mut left = self.operand()?;
        while let Some(Token::Sign(sign)) = self.peek() {
            let at = self.at();
            let Some(operator) = Operator::of_sign(*sign) else {
                break;
            };
            let strength = operator.strength();
            if strength < least {
                break;
            }
            self.next += 1;
            // Powers group to the right: 2^3^2 is 2^9.
            let right = match operator {
                Operator::Power => self.expression(SIGN)?,
                Operator::Add | Operator::Subtract | Operator::Multiply | Operator::Divide => {
                    self.expression(strength + 1)?
                }
            };
            left = combine(operator, left, right, at)?;
        }
        self.depth -= 1;
        Ok(left)
    }

    /// A number, name, call, parenthesis or sign, with the units that follow.
    fn operand(&mut self) -> ParsedNode {
        let at = self.at();
        let Some(token) = self.peek().cloned() else {
            return Err(self.unexpected("a number, a name or `(`"));
        };
        match token {
            Token::Number(value) => {
                self.next += 1;
                self.units((Node::Number(value), Measure::Plain))
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
                let (node, measure) = self.expression(SIGN)?;
                Ok((Node::Negative(Box::new(node)), measure))
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
    fn units(&mut self, mut value: (Node, Measure)) -> ParsedNode {
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
            let mut measure = (Node::Number(*factor), Measure::Known(*dimension));
            let power_at = self.at();
            if self.take('^') {
                let exponent = self.expression(SIGN)?;
                measure = combine(Operator::Power, measure, exponent, power_at)?;
            }
            value = combine(Operator::Multiply, value, measure, at)?;
        }
        Ok(value)
    }

    /// A variable, parameter, constant or unit.
    fn name(&self, name: &str, at: usize) -> ParsedNode {
        if let Some(index) = self.scope.variables.iter().position(|v| *v == name) {
            return Ok((Node::Variable(index), Measure::Free));
        }
        if let Some(value) = self.scope.parameters.get(name) {
            self.scope.used.borrow_mut().insert(name.to_owned());
            return Ok((Node::Number(value.number), value.measure));
        }
        if name == "pi" {
            return Ok((Node::Number(std::f64::consts::PI), Measure::Plain));
        }
        if let Some((_, factor, dimension, _)) = unit(name) {
            return Ok((Node::Number(*factor), Measure::Known(*dimension)));
        }
        let known = self.scope.parameters.keys().map(String::as_str);
        let known = known.chain(self.scope.variables.iter().copied());
        let mut error = ExpressionError::new(at, format!("no parameter is called `{name}`"));
        error.suggestion = nearest(name, known.chain(Function::names()).chain(["pi"]));
        Err(error)
    }

    fn call(&mut self, name: &str, at: usize) -> ParsedNode {
        let Some(function) = Function::from_name(name) else {
            let mut error = ExpressionError::new(at, format!("no function is called `{name}`"));
            error.suggestion = nearest(name, Function::names());
            return Err(error);
        };
        let (mut nodes, mut measures) = (Vec::new(), Vec::new());
        loop {
            let (node, measure) = self.expression(0)?;
            nodes.push(node);
            measures.push(measure);
            if !self.take(',') {
                break;
            }
        }
        if !self.take(')') {
            return Err(self.unexpected("`,` or `)`"));
        }
        let measure = function
            .measure(&measures)
            .map_err(|reason| ExpressionError::new(at, reason))?;
        Ok((Node::Call(function, nodes), measure))
    }
}

fn combine(
    operator: Operator,
    left: (Node, Measure),
    right: (Node, Measure),
    at: usize,
) -> ParsedNode {
    let measure = match operator {
        Operator::Add | Operator::Subtract => same(left.1, right.1),
        Operator::Multiply => product(left.1, right.1, 1),
        Operator::Divide => product(left.1, right.1, -1),
        Operator::Power => power_of(left.1, &right),
    };
    let measure = measure.map_err(|reason| ExpressionError::new(at, reason))?;
    let node = Node::Binary(operator, Box::new(left.0), Box::new(right.0));
    Ok((node, measure))
}

/// What is known of a power.
fn power_of(base: Measure, (exponent, measure): &(Node, Measure)) -> Result<Measure, String> {
    let number = (!exponent.varies()).then(|| exponent.evaluate(&[]));
    power(base, *measure, number)
}
