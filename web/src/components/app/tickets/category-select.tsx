import { Select } from '@/components/app/field'
import { titled } from '@/lib/words'
import { ticketCategories } from './words'

interface CategorySelectProps {
  id?: string
  /** Whether the choice is on its way, and must not change any more. */
  sending: boolean
  /** '' before one is chosen. */
  value: string
  onChange: (category: string) => void
}

/** The categories of a new ticket. */
export function CategorySelect({ id, sending, value, onChange }: CategorySelectProps) {
  return (
    <Select
      id={id}
      required
      waiting={sending}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="" disabled>
        Choose...
      </option>
      {ticketCategories.map((category) => (
        <option key={category} value={category}>
          {titled(category)}
        </option>
      ))}
    </Select>
  )
}
