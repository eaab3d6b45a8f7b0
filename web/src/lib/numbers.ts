/** What stands for a number that is not known. */
export const ABSENT = '–'

/** Memoizes a US English number formatter, created at its first use. What a server sent instead of a number is `ABSENT`. */
function formatter(options: Intl.NumberFormatOptions): (value: number) => string {
  let made: Intl.NumberFormat | undefined
  return (value) => {
    if (!Number.isFinite(value)) return ABSENT
    return (made ??= new Intl.NumberFormat('en-US', options)).format(value)
  }
}

/** With two decimals, such as '1,234.50'. */
export const twoDecimals = formatter({ minimumFractionDigits: 2, maximumFractionDigits: 2 })

/** With as many decimals as it needs, two at most, such as '1,234.5'. */
export const upToTwoDecimals = formatter({ maximumFractionDigits: 2 })

/** Without decimals, such as '1,234'. */
export const whole = formatter({ maximumFractionDigits: 0 })

const currencies = new Map<string, Intl.NumberFormat>()

/** Memoized; throws for what is no code of a currency. */
function currencyFormat(currency: string): Intl.NumberFormat {
  let made = currencies.get(currency)
  if (!made) {
    made = new Intl.NumberFormat('en-US', { style: 'currency', currency })
    currencies.set(currency, made)
  }
  return made
}

/** An amount of money, such as '$25.00', or '25.00 XYZ' in a currency that is not one. */
export function moneyText(amount: number, currency: string): string {
  try {
    return currencyFormat(currency).format(amount)
  } catch {
    return `${twoDecimals(amount)} ${currency.toUpperCase()}`
  }
}

const UNITS = ['Bytes', 'KB', 'MB', 'GB'] as const

/** A file size in Bytes, KB, MB or GB at 1024 steps, rounded to 2 decimals. */
export function formatBytes(bytes: number): string {
  if (!(bytes >= 1)) return '0 Bytes'
  const step = Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length - 1)
  return `${Number((bytes / 1024 ** step).toFixed(2))} ${UNITS[step]}`
}
