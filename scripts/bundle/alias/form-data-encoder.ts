// For form-data-encoder, which got loads always and uses only for a body that is a form.
export const isFormData = (): boolean => false;

export class FormDataEncoder {
  constructor() {
    throw new Error('The bundle sends no forms');
  }
}
