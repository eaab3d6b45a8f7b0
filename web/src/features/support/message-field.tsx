import { type Ref, useId } from 'react'
import { Textarea } from '@/components/app/field'
import { TooLong } from '@/components/app/tickets/too-long'
import { MESSAGE_MAX, messageLength } from '@/components/app/tickets/words'
import { whole } from '@/lib/numbers'
import styles from './form.module.css'

interface MessageFieldProps {
  ref?: Ref<HTMLTextAreaElement>
  label: string
  rows: number
  placeholder?: string
  /** Whether the text is on its way, and must not change any more. */
  sending: boolean
  value: string
  onChange: (text: string) => void
}

/** A long text with its label, and how many characters it has and may have. */
export function MessageField(props: MessageFieldProps) {
  const { ref, label, rows, placeholder, sending, value, onChange } = props
  const id = useId()
  const length = messageLength(value)
  const nearFull = length > MESSAGE_MAX * 0.9
  return (
    <>
      <div>
        <div className={styles.labels}>
          <label htmlFor={id} className={styles.label}>
            {label}
          </label>
          <span id={`${id}-count`} className={`${styles.count} ${nearFull ? styles.nearFull : ''}`}>
            {whole(length)} / {whole(MESSAGE_MAX)}
          </span>
        </div>
        <Textarea
          ref={ref}
          id={id}
          aria-describedby={`${id}-count`}
          rows={rows}
          placeholder={placeholder}
          readOnly={sending}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      </div>
      <TooLong message={value} />
    </>
  )
}
