import type { Device } from '@/lib/api/types'
import { titled } from '@/lib/words'

/** Browsers by the mark in their user agent; those that carry another one's mark as well come first. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:A|iOS)?\//, 'Edge'],
  [/\bOPR\/|\bOPT\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bVersion\/[\d.]+.*\bSafari\//, 'Safari'],
]

/** Systems in the same way: phones name the system that they descend from as well. */
const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMacintosh\b/, 'Mac'],
  [/\bLinux\b/, 'Linux'],
]

function find(marks: readonly (readonly [RegExp, string])[], text: string): string | undefined {
  return marks.find(([mark]) => mark.test(text))?.[1]
}

type Described = Pick<Device, 'kind' | 'name' | 'user_agent'>

/** What a person knows the device by: its own name, else the browser and its system, else its kind. */
export function deviceName({ kind, name, user_agent }: Described): string {
  const own = name.trim()
  if (own) return own
  if (kind !== 'browser') return titled(kind)
  const browser = find(browsers, user_agent)
  const system = find(systems, user_agent)
  if (!browser && !system) return 'Unknown browser'
  return system ? `${browser ?? 'Browser'} on ${system}` : `${browser}`
}
