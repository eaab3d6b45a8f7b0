import { titled } from '@/lib/words'

interface OptionsProps {
  values: readonly string[]
  value: string
  /** What a value is called, if not by itself. */
  name?: (value: string) => string | undefined
}

/** The `values` that can be chosen, and the present one, which only a newer server may know. */
export function Options({ values, value, name }: OptionsProps) {
  return [...new Set([...values, value])].map((one) => (
    <option key={one} value={one}>
      {name?.(one) ?? titled(one)}
    </option>
  ))
}
