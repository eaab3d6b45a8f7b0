/**
 * Numbers in US English as `Intl.NumberFormat` writes them, without its weight: a phone takes a tenth of
 * a second for its first one.
 */
function separated(digits: string): string {
  const [whole = '', ...fraction] = digits.split('.')
  // eslint-disable-next-line security/detect-unsafe-regex -- of a number's own digits
  return [whole.replace(/\B(?=(?:\d{3})+$)/g, ','), ...fraction].join('.')
}

/** With two decimals, such as '1,234.50'. */
export const twoDecimals = (value: number): string => separated(value.toFixed(2))

/** With as many decimals as it needs, two at most, such as '1,234.5'. */
export const upToTwoDecimals = (value: number): string =>
  separated(value.toFixed(2).replace(/\.?0+$/, ''))

/** Without decimals, such as '1,234'. */
export const whole = (value: number): string => separated(value.toFixed(0))
