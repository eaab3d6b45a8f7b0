import type { ComponentProps, ReactNode } from 'react'
import { Input, Select } from '@/components/app/field'
import { Button } from '@/components/button'
import { titled } from '@/lib/words'
import styles from './filter-bar.module.css'
import { MAX_SEARCH } from './parameters'

interface FilterBarProps {
  /** What is looked through. */
  label: string
  refreshing: boolean
  onRefresh: () => void
  /** The fields. */
  children: ReactNode
}

/** What stands over a list: what narrows it, and Refresh. */
export function FilterBar({ label, refreshing, onRefresh, children }: FilterBarProps) {
  return (
    <div role="search" aria-label={label} className={styles.bar}>
      {children}
      <Button variant="secondary" pending={refreshing} data-event="refresh" onClick={onRefresh}>
        Refresh
      </Button>
    </div>
  )
}

interface SearchFieldProps extends Omit<ComponentProps<'input'>, 'onChange'> {
  label: string
  value: string
  onType: (text: string) => void
}

/** Text that the rows have in them. */
export function SearchField({ label, onType, ...input }: SearchFieldProps) {
  return (
    <Input
      type="search"
      className={styles.search}
      aria-label={label}
      maxLength={MAX_SEARCH}
      onChange={(event) => onType(event.target.value)}
      {...input}
    />
  )
}

interface ChoiceFieldProps extends Omit<ComponentProps<'select'>, 'onChange'> {
  label: string
  /** Names the choice of not choosing. */
  all: string
  values: readonly string[]
  /** A value in words. */
  nameOf?: (value: string) => string
  value: string
  onChoose: (value: string) => void
}

/** One of a few values, or all of them. */
export function ChoiceField(props: ChoiceFieldProps) {
  const { label, all, values, nameOf = titled, onChoose, ...select } = props
  return (
    <Select
      className={styles.choice}
      aria-label={label}
      onChange={(event) => onChoose(event.target.value)}
      {...select}
    >
      <option value="">{all}</option>
      {values.map((value) => (
        <option key={value} value={value}>
          {nameOf(value)}
        </option>
      ))}
    </Select>
  )
}

interface DayFieldProps {
  label: string
  value: string
  min?: string
  max?: string
  onChange: (day: string) => void
}

/** A day of the calendar; without a maximum, a year could be typed with six digits. */
export function DayField({ label, value, min, max, onChange }: DayFieldProps) {
  return (
    <label className={styles.day}>
      <span className={styles.dayName}>{label}</span>
      <Input
        type="date"
        className={styles.dayField}
        value={value}
        min={min || undefined}
        max={max || '9999-12-31'}
        onChange={(event) => onChange(event.target.value)}
      />
    </label>
  )
}
