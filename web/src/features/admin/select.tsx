export { Select } from '@/components/app/select'
