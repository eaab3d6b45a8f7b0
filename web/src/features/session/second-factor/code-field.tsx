import { useId } from 'react'
import { Input } from '@/components/app/field'
import styles from './second-factor.module.css'

interface CodeFieldProps {
  label: string
  value: string
  waiting: boolean
  onType: (code: string) => void
}

/** A code that an authenticator app shows, which the browser may offer to fill in. */
export function CodeField({ label, value, waiting, onType }: CodeFieldProps) {
  const id = useId()
  return (
    <div>
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      <Input
        id={id}
        autoComplete="one-time-code"
        autoCapitalize="off"
        spellCheck={false}
        maxLength={32}
        readOnly={waiting}
        value={value}
        onChange={(event) => onType(event.target.value)}
      />
    </div>
  )
}
