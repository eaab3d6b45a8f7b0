import { Button, Flex, Input } from '@chakra-ui/react'
import type { ComponentProps, ReactNode } from 'react'
import { Select } from '@/components/app/select'
import { titled } from '@/lib/words'
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
    <Flex role="search" aria-label={label} wrap="wrap" align="end" gap="3">
      {children}
      <Button variant="outline" disabled={refreshing} onClick={onRefresh}>
        Refresh
      </Button>
    </Flex>
  )
}

interface SearchFieldProps extends Omit<ComponentProps<typeof Input>, 'onChange'> {
  label: string
  value: string
  onType: (text: string) => void
}

/** Text that the rows have in them. */
export function SearchField({ label, onType, ...input }: SearchFieldProps) {
  return (
    <Input
      type="search"
      flex="1 1 16rem"
      width="auto"
      aria-label={label}
      maxLength={MAX_SEARCH}
      onChange={(event) => onType(event.target.value)}
      {...input}
    />
  )
}

interface ChoiceFieldProps extends Omit<ComponentProps<typeof Select>, 'onChange'> {
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
      flex="1 0 9rem"
      maxW={{ md: '12rem' }}
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
