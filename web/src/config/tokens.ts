/**
 * Names of the design tokens for TypeScript. The values stand in src/styles/tokens.css, light and
 * dark; a name here is a reference to the custom property of the same name there, so a system built
 * from this object follows the visitor's colour scheme without a class or a script.
 */
const reference = <Prefix extends string, const Names extends readonly string[]>(
  prefix: Prefix,
  names: Names,
) =>
  Object.fromEntries(names.map((name) => [name, `var(--${prefix}-${name})`])) as {
    [Name in Names[number]]: `var(--${Prefix}-${Name})`
  }

export const tokens = {
  color: reference('color', [
    'paper',
    'raised',
    'sunk',
    'ink',
    'muted',
    'quiet',
    'line',
    'line-strong',
    'ember',
    'ember-strong',
    'ember-live',
    'ember-wash',
    'on-ember',
    'focus',
    'positive',
    'positive-wash',
    'caution',
    'caution-wash',
    'danger',
    'danger-wash',
    'notice',
  ]),
  text: reference('text', ['xs', 'sm', 'md', 'lg', 'xl', '2xl', '3xl', '4xl']),
  space: reference('space', ['1', '2', '3', '4', '5', '6', '8', '10', '12', '16', '20', 'section']),
  radius: reference('radius', ['sm', 'md', 'lg', 'full']),
  duration: reference('duration', ['fast', 'base']),
  font: reference('font', ['sans', 'mono']),
  shadow: reference('shadow', ['lift']),
} as const

/** Plain colour values for what cannot read custom properties: share images and the theme-color tag. */
export const brandColors = {
  paper: '#fbf9f4',
  paperDark: '#181411',
  ink: '#1c1713',
  ember: '#f0562b',
} as const
