import { isObject } from './json.ts';

/** Says where a value is not what it should be. */
export class Misfit extends Error {
  readonly at: string;

  constructor(at: string, expected: string) {
    super(`${at || 'It'} should be ${expected}`);
    this.at = at;
  }
}

/** Throws a `Misfit` where the value does not fit. `at`: where it stands, e.g. `messages[3].role`. */
export type Shape = (value: unknown, at: string) => void;

function must(expected: string, fits: (value: unknown) => boolean): Shape {
  return (value, at) => {
    if (!fits(value)) throw new Misfit(at, expected);
  };
}

export const text = must('a text', (value) => typeof value === 'string');
export const flag = must('true or false', (value) => typeof value === 'boolean');
export const amount = must('a number that is not below zero', (value) => typeof value === 'number' && value >= 0);
export const anything: Shape = () => {};

export function oneOf(values: readonly unknown[]): Shape {
  return must(values.map((value) => JSON.stringify(value)).join(' or '), (value) => values.includes(value));
}

export function orNull(shape: Shape): Shape {
  return (value, at) => {
    if (value !== null) shape(value, at);
  };
}

export function listOf(shape: Shape): Shape {
  return (value, at) => {
    if (!Array.isArray(value)) throw new Misfit(at, 'a list');
    for (const [index, one] of value.entries()) shape(one, `${at}[${index}]`);
  };
}

/** With all of these fields, and perhaps some of the others; what else it has is nobody's business. */
export function fields(all: Readonly<Record<string, Shape>>, some: Readonly<Record<string, Shape>> = {}): Shape {
  return (value, at) => {
    if (!isObject(value)) throw new Misfit(at, 'an object');
    const below = (key: string): string => (at === '' ? key : `${at}.${key}`);
    for (const [key, shape] of Object.entries(all)) shape(value[key], below(key));
    for (const [key, shape] of Object.entries(some)) if (value[key] !== undefined) shape(value[key], below(key));
  };
}

export function mapOf(shape: Shape): Shape {
  return (value, at) => {
    if (!isObject(value)) throw new Misfit(at, 'an object');
    for (const [key, one] of Object.entries(value)) shape(one, `${at}.${key}`);
  };
}

/** Which shape it has, its `type` says. */
export function byType(shapes: Readonly<Record<string, Shape>>): Shape {
  const type = oneOf(Object.keys(shapes));
  return (value, at) => {
    if (!isObject(value)) throw new Misfit(at, 'an object');
    type(value['type'], `${at}.type`);
    shapes[String(value['type'])]?.(value, at);
  };
}
